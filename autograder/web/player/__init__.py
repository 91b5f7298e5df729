"""The graph player: draws a backward pass step by step from its event log. It never runs student code."""

from autograder.web.player.frames import Player, player_of
from autograder.web.player.page import render_player

__all__ = ["Player", "player_of", "render_player"]
