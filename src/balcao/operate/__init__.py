"""What an operator does with an installation. The commands of `balcao.cli` call it and print what it returns."""
