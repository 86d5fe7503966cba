package dev.weft.lab.trials.pvfs;

import dev.weft.service.SizeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Options of all measurements; each uses those that it knows. */
final class BenchOptions {
  private static final int THREADS_MAX = 64;
  private static final int ITERATIONS_MAX = 1_000_000;

  @Option(names = "--clients", paramLabel = "N", defaultValue = "1",
      description = "pvfs-test, mpi-io: clients at a time, each a node of its own, 1 to 64 (default: ${DEFAULT-VALUE}). metadata: threads of one client.")
  int clients;

  @Option(names = "--iterations", paramLabel = "N", defaultValue = "5",
      description = "Runs of each test, whose median is shown (default: ${DEFAULT-VALUE}). For small, hundreds of requests; for metadata, hundreds of files.")
  int iterations;

  @Option(names = "--bytes", paramLabel = "SIZE", converter = SizeConverter.class, defaultValue = "64M",
      description = "pvfs-test, mpi-io: size of the data of each client; pipeline: size of the transfer (default: ${DEFAULT-VALUE}).")
  long bytes;

  @Option(names = "--block", paramLabel = "SIZE", converter = SizeConverter.class, defaultValue = "1M",
      description = "pvfs-test, mpi-io, registration: size of one call, 512 to 1G (default: ${DEFAULT-VALUE}).")
  long block;

  @Option(names = "--to", paramLabel = "SIZE", converter = SizeConverter.class, defaultValue = "64K",
      description = "small: size of the longest request, 128 to 4M; the shortest has 128 bytes (default: ${DEFAULT-VALUE}).")
  long to;

  @Option(names = "--shared", description = "pvfs-test: use buffers in memory of the fabric (Hca.allocMemory), which other JVMs of this host map.")
  boolean isShared;

  @Option(names = "--warm-up", paramLabel = "SECONDS", defaultValue = "0",
      description = "pvfs-test, small, tile, metadata: seconds of warm-up of each test, 0 to 3600; at least one run (default: ${DEFAULT-VALUE}).")
  int warmUpSeconds;

  void check(CommandSpec spec) {
    require(spec, clients >= 1 && clients <= THREADS_MAX, "--clients is " + clients + ", must be from 1 to " + THREADS_MAX);
    require(spec, iterations >= 1 && iterations <= ITERATIONS_MAX, "--iterations is " + iterations + ", must be from 1 to " + ITERATIONS_MAX);
    require(spec, block >= 512 && block <= 1 << 30, "--block is " + SizeConverter.text(block) + ", must be from 512 to 1G");
    require(spec, bytes >= block && bytes <= 1L << 40, "--bytes is " + SizeConverter.text(bytes) + ", must be from --block, "
        + SizeConverter.text(block) + ", to 1T");
    require(spec, warmUpSeconds >= 0 && warmUpSeconds <= 3600, "--warm-up is " + warmUpSeconds + ", must be from 0 to 3600 seconds");
    require(spec, to >= 128 && to <= 4 << 20, "--to is " + SizeConverter.text(to) + ", must be from 128 to 4M");
  }

  private static void require(CommandSpec spec, boolean condition, String message) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
