"""The same noise on both inputs."""
