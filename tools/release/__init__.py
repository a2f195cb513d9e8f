"""Makes a release: the files, what they consist of, under which licences, their sums and a signature."""
