"""What the process imports from which `tests.processes` forks: libraries, and the parts of Gradus that read no settings."""

import gc

import celery  # noqa: F401
import dj_database_url  # noqa: F401
import docker  # noqa: F401
import markdown_it  # noqa: F401
import nh3  # noqa: F401
import numpy  # noqa: F401
import prometheus_client  # noqa: F401
import redis  # noqa: F401
import structlog  # noqa: F401
import torch  # noqa: F401

import autograder.judge.batch
import autograder.judge.diagnosis.explain
import autograder.judge.lint.prove  # noqa: F401

gc.freeze()
