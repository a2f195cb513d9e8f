"""The benchmark suite: our operations beside the same ones in Go, and beside another checkout of ours."""
