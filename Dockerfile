# The server over stdio, with bubblewrap for the fence; docs/container.md says how to run it.
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
# The state folder must belong to the user that runs the server, whichever that is: the server makes it below /state, where every user may.
RUN mkdir -p /work /state && chown 1000:1000 /work && chmod 1777 /state
# Without HOME an engine may name /work the home of a user that the image does not know, and the fence refuses a root that holds a home.
ENV HOME=/home/node K3_STATE_DIR=/state/k3-mcp
# A number, which Kubernetes can tell from root.
USER 1000:1000
WORKDIR /work
VOLUME ["/work", "/state"]
ENTRYPOINT ["node", "/opt/k3-mcp/dist/k3-mcp.js"]
