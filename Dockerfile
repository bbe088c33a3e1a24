# docker build -t gpulint . && docker run --rm -v "$PWD:/work" gpulint configs/
FROM debian:12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
      cmake g++ ninja-build libyaml-cpp-dev nlohmann-json3-dev libfmt-dev libcli11-dev \
    && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN cmake -S /src -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DGPULINT_TESTS=OFF \
    && cmake --build /build --target gpulint \
    && cmake --install /build --component program --prefix /usr/local --strip

FROM debian:12-slim
# git: for `gpulint diff` and --changed-since.
RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/* \
    && git config --system --add safe.directory '*'
COPY --from=build /usr/local/bin/gpulint /usr/local/bin/gpulint
WORKDIR /work
ENTRYPOINT ["gpulint"]
