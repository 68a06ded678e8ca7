# The server over stdio, with bubblewrap for the fence:
#   docker build -t k3-mcp . && docker run -i --rm -v "$PWD:/work" k3-mcp
# The fence needs user namespaces inside the container; where the engine's profile denies them, K3_FENCE=auto runs without one, and
# k_status says so. The container itself is a confinement then: K sees /work and the image.
FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY rolldown.config.js tsconfig.json ./
COPY src src
RUN npm run build

FROM node:22-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/k3-mcp
COPY package.json LICENSE ./
COPY --from=build /build/dist dist
RUN mkdir -p /work /state && chown node:node /work /state
ENV K3_STATE_DIR=/state
USER node
WORKDIR /work
VOLUME ["/work", "/state"]
ENTRYPOINT ["node", "/opt/k3-mcp/dist/k3-mcp.js"]
