package dev.weft.pvfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.Waits;
import dev.weft.pvfs.layout.Striping;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Daemons that are started anew, and syncs that come after it. */
@Tag("slow")
@Tag("actor")
@Timeout(120)
class LossToldTest {
  private static final Striping STRIPING = new Striping(0, 2, 1000, 2);
  private static final String RECONNECT = "weft.pvfs.client.reconnect = 10 ms\n";
  @TempDir private Path directory;

  private StripedCluster onDisk() {
    return new StripedCluster(2, "weft.pvfs.daemon.directory = \"" + directory + "\"\nweft.pvfs.daemon.zones = 12 MiB\n" + RECONNECT);
  }

  private static void write(DataClient client, long file) {
    MemorySegment data = Arena.ofAuto().allocate(5000).fill((byte) 1);
    assertEquals(Errno.OK, client.write(file, STRIPING, 0, data).errno());
  }

  private void startAnew(StripedCluster cluster, DataClient client, boolean isMachine) throws IOException {
    cluster.stopDaemon(1);
    if (isMachine) { // What a directory says with the kernel's number is another one then.
      Path format = directory.resolve("io-1/daemon.format");
      String before = Files.readString(format);
      String after = before.replaceAll("number=[0-9a-f]+", "number=1234");
      assertNotEquals(before, after);
      Files.writeString(format, after);
    }
    Waits.await(() -> !Waits.<ClientSnapshot>ask(cluster.fabric, client::inspect).daemons().get(1).isUp(), () -> "it is gone");
    Waits.await(() -> startsAgain(cluster), () -> "another one takes its place");
  }

  private static boolean startsAgain(StripedCluster cluster) {
    try {
      cluster.daemons.set(1, cluster.startDaemon(1));
      return true;
    } catch (IllegalArgumentException notGoneYet) {
      return false;
    }
  }

  @Test
  void shouldTellWhoWritesOfAMachineThatHasFailed() throws IOException {
    try (StripedCluster cluster = onDisk(); DataClient client = cluster.client()) {
      LossWatch watch = client.watch(1);
      LossWatch ofSynced = client.watch(2);
      write(client, 1);
      write(client, 2);
      assertEquals(Errno.OK, client.sync(2, STRIPING, ofSynced));
      startAnew(cluster, client, true);
      assertEquals(Errno.OK, client.sync(2, STRIPING, ofSynced));
      assertEquals(Errno.EIO, client.sync(1, STRIPING, watch));
      assertEquals(Errno.OK, client.sync(1, STRIPING, watch));
      write(client, 1);
      assertEquals(Errno.OK, client.sync(1, STRIPING, watch));
    }
  }

  @Test
  void shouldTellNothingOfAProcessThatWasStartedAnew() throws IOException {
    try (StripedCluster cluster = onDisk(); DataClient client = cluster.client()) {
      LossWatch watch = client.watch(1);
      write(client, 1);
      startAnew(cluster, client, false);
      assertEquals(Errno.OK, client.sync(1, STRIPING, watch));
    }
  }

  @Test
  void shouldTellWhoWritesOfADaemonInMemoryThatWasStartedAnew() throws IOException {
    try (StripedCluster cluster = new StripedCluster(2, RECONNECT); DataClient client = cluster.client()) {
      LossWatch watch = client.watch(1);
      write(client, 1);
      assertEquals(Errno.OK, client.sync(1, STRIPING, watch));
      startAnew(cluster, client, false);
      assertEquals(Errno.EIO, client.sync(1, STRIPING, watch), "a sync keeps nothing there");
      assertEquals(Errno.OK, client.sync(1, STRIPING, watch));
    }
  }

  @Test
  void shouldGiveADirectoryOfAnOlderVersionANumber() throws IOException {
    Path format = directory.resolve("io-1/daemon.format");
    try (StripedCluster cluster = onDisk(); DataClient client = cluster.client()) {
      write(client, 1);
    }
    Files.writeString(format, Files.readString(format).replaceAll("number=.*\n", ""));
    try (StripedCluster cluster = onDisk(); DataClient client = cluster.client()) {
      assertTrue(Files.readString(format).matches("(?s).*number=[0-9a-f]+\n.*"));
      write(client, 1);
    }
  }
}
