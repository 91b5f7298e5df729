"""The graph player: a backward pass step by step, drawn from its event log. It never runs a student's code."""

from autograder.web.player.frames import Player, player_of
from autograder.web.player.page import render_player

__all__ = ["Player", "player_of", "render_player"]
