"""The benchmark: connote and its peers on the questions of `questions/` and on a public set."""
