"""What bench_index.py measures with."""
