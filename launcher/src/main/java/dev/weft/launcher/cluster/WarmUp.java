package dev.weft.launcher.cluster;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import dev.weft.fabric.time.RealClock;
import dev.weft.launcher.CommandFailure;
import dev.weft.pager.BlockDevice;
import dev.weft.pager.Errno;
import dev.weft.pager.nbd.NbdExercise;
import dev.weft.pager.nbd.NbdExport;
import dev.weft.pager.nbd.NbdServer;
import dev.weft.pager.nbd.NbdSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work for a block device that nobody else can reach yet, over an NBD server of its own on a socket in the state directory. Afterwards
 * the device is all holes, as before.
 */
final class WarmUp {
  private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);
  /** What nbdcopy opens. */
  private static final int CONNECTIONS = 4;
  /** Of each server; enough for several of the longest requests beside each other. */
  private static final long BYTES_MAX = 4 << 20;
  private static final int TRIM_PATIENCE_S = 60;

  private WarmUp() {}

  /**
   * Blocks for {@code time} and the time that the requests in flight then take.
   *
   * @param device as new, of {@code servers} areas of {@code areaBytes}
   * @throws CommandFailure if what was written cannot be trimmed away
   */
  static void run(BlockDevice device, int servers, long areaBytes, Config config, StateDirectory states, Duration time)
      throws InterruptedException {
    Path socket = states.path().resolve("warm-up-" + ProcessHandle.current().pid() + ".sock");
    NbdExercise.Parts parts = new NbdExercise.Parts(servers, areaBytes, Math.min(areaBytes, BYTES_MAX));
    try (NbdServer nbd = NbdServer.start(settings(config, socket), List.of(new NbdExport("", "", device, false)), RealClock.INSTANCE)) {
      long answered = NbdExercise.run(socket, "", CONNECTIONS, parts, System.nanoTime() + time.toNanos());
      LOG.debug("{} requests to warm up over {}", answered, nbd.uris());
    } catch (IOException | IllegalArgumentException e) {
      LOG.warn("the first requests will be slow, because warming up failed: {}", e.toString());
    } finally {
      for (int i = 0; i < servers; i++) {
        trim(device, i * parts.stride(), parts.bytes());
      }
    }
  }

  private static NbdSettings settings(Config config, Path socket) {
    return NbdSettings.from(config.withValue("weft.pager.nbd.listen", ConfigValueFactory.fromIterable(List.of("unix:" + socket)))
        .withValue("weft.pager.nbd.tls", ConfigValueFactory.fromAnyRef("off")));
  }

  private static void trim(BlockDevice device, long offset, long length) throws InterruptedException {
    CompletableFuture<Integer> done = new CompletableFuture<>();
    device.trim(offset, length, done::complete);
    try {
      int errno = done.get(TRIM_PATIENCE_S, TimeUnit.SECONDS);
      if (errno != Errno.OK) {
        throw new CommandFailure("the block device answers error " + errno + " before its first use");
      }
    } catch (ExecutionException | TimeoutException e) {
      throw new CommandFailure("the block device does not answer within " + TRIM_PATIENCE_S + " s", e);
    }
  }
}
