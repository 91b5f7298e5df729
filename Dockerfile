# The images of the site: `app` (web, scheduler, commands; without torch) and `worker` (the app with torch, for grading).
# Student code runs in a third image, sandbox/image/Dockerfile. `make images` builds all three.
ARG BASE=debian:bookworm-slim

FROM ${BASE} AS base
RUN command -v python3.11 >/dev/null && python3.11 -c 'import ensurepip' \
    || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
         python3.11 python3.11-venv && rm -rf /var/lib/apt/lists/*; }
RUN ldconfig -p | grep -q libseccomp.so.2 \
    || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
         libseccomp2 && rm -rf /var/lib/apt/lists/*; }

FROM base AS packages
# Wheels in build/wheels are preferred; PIP_OPTIONS="--no-index" uses nothing else.
ARG PIP_OPTIONS=""
COPY requirements.lock pyproject.toml build/wheel[s] /wheels/
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore PIP_FIND_LINKS=/wheels
RUN python3.11 -m venv /pip && python3.11 -m venv --without-pip /opt/site \
    && python3.11 -c 'import tomllib; wanted = tomllib.load(open("/wheels/pyproject.toml", "rb"))["project"]["dependencies"]; \
print("\n".join(line for line in wanted if not line.startswith("torch")))' > /wheels/wanted \
    && /pip/bin/pip --python /opt/site/bin/python install --quiet --no-compile $PIP_OPTIONS --constraint /wheels/requirements.lock -r /wheels/wanted \
    && find /opt/site -type d \( -name tests -o -name __pycache__ \) -path '*numpy*' -prune -exec rm -rf {} + \
    && find /opt/site -path '*/locale/*' -type d -mindepth 6 -prune ! -path '*/locale/en*' -path '*django*' -exec rm -rf {} + \
    && find /opt/site -name __pycache__ -prune -exec rm -rf {} + \
    && PYTHONHASHSEED=0 python3.11 -m compileall -q --invalidation-mode unchecked-hash /opt/site/lib
RUN mkdir -p /opt/torch && /pip/bin/pip install --quiet --no-compile $PIP_OPTIONS --constraint /wheels/requirements.lock --target /opt/torch torch \
    && rm -rf /opt/torch/bin /opt/torch/torch/include /opt/torch/torch/share /opt/torch/torch/test /opt/torch/torch/lib/*.a \
    && { PYTHONHASHSEED=0 python3.11 -m compileall -q --invalidation-mode unchecked-hash /opt/torch || true; }

FROM base AS app
RUN export SOURCE_DATE_EPOCH=0; groupadd --gid 10001 gradus && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin gradus \
    && install -d -o 10001 -g 10001 -m 700 /data
COPY --from=packages /opt/site/ /opt/site/
COPY manage.py /app/
COPY exercises/ /app/exercises/
COPY docs/ /app/docs/
COPY sandbox/ /app/sandbox/
COPY autograder/ /app/autograder/
COPY tools/capacity/ /app/tools/capacity/
ENV PATH=/opt/site/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 HOME=/data \
    GRADUS_DATA=/data GRADUS_CACHE=/data/cache GRADUS_STATIC=/app/static
WORKDIR /app
RUN GRADUS_DATA=/tmp/build python manage.py collectstatic --verbosity 0 --no-input && rm -rf /tmp/build
USER 10001:10001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["uvicorn", "autograder.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--log-level", "warning", "--no-server-header", "--no-proxy-headers"]
LABEL org.opencontainers.image.title="gradus-app"

FROM app AS worker
COPY --from=packages /opt/torch/ /opt/torch/
ENV PYTHONPATH=/opt/torch GRADUS_SANDBOX=container
HEALTHCHECK --interval=20s --timeout=10s --start-period=90s --retries=3 \
    CMD ["python", "manage.py", "worker", "--healthy"]
CMD ["python", "manage.py", "worker"]
LABEL org.opencontainers.image.title="gradus-worker"
