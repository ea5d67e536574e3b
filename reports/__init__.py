"""Reports: verdicts in; text, JSON and files out. Renderers are functions of one model; none of them computes."""
