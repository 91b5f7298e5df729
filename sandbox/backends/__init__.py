"""Ways to start a zygote: how the process is confined before it runs the first line of ours."""
