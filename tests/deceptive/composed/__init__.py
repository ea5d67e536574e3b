"""Programs made of parts that try to be taken for private ones, each in another place of a proof by composition."""
