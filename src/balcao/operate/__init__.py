"""The operator's tasks for an installation. The commands of `balcao.cli` call them and print what they return."""
