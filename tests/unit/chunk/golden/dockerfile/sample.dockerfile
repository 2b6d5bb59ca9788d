# syntax=docker/dockerfile:1
# An image in three stages.
ARG VERSION=3.12

# Builds the wheel.
FROM python:${VERSION}-slim AS builder
WORKDIR /src
COPY . .
RUN pip install build && \
    python -m build \
    && echo "größe 🎉"

FROM node:20 as assets
COPY package.json ./
RUN npm ci
RUN <<EOF
npm run build
echo done
EOF

# The program itself.
FROM debian:12@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
LABEL org.opencontainers.image.title="Gärten" \
      version="1.0"
ENV LANG=C.UTF-8 \
    PORT=8080
ARG USER=app
RUN useradd ${USER}
COPY --from=builder /src/dist/*.whl /tmp/
COPY --from=assets /dist /srv
ADD https://example.org/a.tar.gz /tmp/
VOLUME ["/data"]
EXPOSE 8080/tcp
USER ${USER}
HEALTHCHECK --interval=30s CMD curl -f http://localhost:8080/ || exit 1
SHELL ["/bin/bash", "-c"]
STOPSIGNAL SIGTERM
ONBUILD RUN echo built
ENTRYPOINT ["/entry.sh"]
CMD ["serve", "--port", "8080"]

FROM scratch
COPY --from=builder /bin/tool /tool
