package dev.weft.pvfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.Striping;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How fast 1 MiB blocks are; only a measurement: {@code -Dweft.test.disk-measure=DIR}, a directory on the disk to measure. Median of five. */
@Tag("actor")
@Timeout(300)
@EnabledIfSystemProperty(named = "weft.test.disk-measure", matches = ".+")
class DiskSpeedTest {
  private static final int BLOCK_BYTES = 1 << 20;
  private static final int BLOCKS = 256;
  private static final int ROUNDS = 5;

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void measure(int daemons) throws IOException {
    Path directory = Files.createTempDirectory(Path.of(System.getProperty("weft.test.disk-measure")), "weft-disk-speed");
    try {
      double[] disk = speeds(daemons, "weft.pvfs.daemon.directory = \"" + directory + "\"\n");
      double[] memory = speeds(daemons, "weft.pvfs.daemon.memory = " + (512 / daemons) + " MiB\n");
      String[] what = {"write", "rewrite", "read"};
      for (int i = 0; i < what.length; i++) {
        System.out.println(String.format(Locale.ROOT, "%d daemons, 1 MiB blocks, %s: directory %.0f MiB/s, memory %.0f MiB/s, ratio %.2f", daemons, what[i],
            disk[i], memory[i], disk[i] / memory[i]));
      }
    } finally {
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
  }

  private static double[] speeds(int daemons, String settings) {
    double[][] all = new double[3][ROUNDS];
    try (StripedCluster cluster = new StripedCluster(daemons, settings); DataClient client = cluster.client(null)) {
      Striping striping = new Striping(0, daemons, 65_536, daemons);
      MemorySegment block = cluster.fabric.addNode("program").hca().allocMemory(java.lang.foreign.Arena.ofAuto(), BLOCK_BYTES);
      block.fill((byte) 7);
      for (int round = 0; round < ROUNDS; round++) {
        long object = round + 1;
        all[0][round] = speed(() -> each(offset -> client.write(object, striping, offset, block)));
        all[1][round] = speed(() -> each(offset -> client.write(object, striping, offset, block)));
        all[2][round] = speed(() -> each(offset -> client.read(object, striping, offset, block)));
        assertEquals(Errno.OK, client.remove(object, striping).errno());
      }
      for (int i = 0; i < daemons; i++) {
        System.out.println(cluster.daemon(i).disk());
      }
    }
    return Arrays.stream(all).mapToDouble(each -> Arrays.stream(each).sorted().toArray()[ROUNDS / 2]).toArray();
  }

  private interface OneBlock {
    IoTask move(long offset);
  }

  private static void each(OneBlock block) {
    for (int i = 0; i < BLOCKS; i++) {
      assertEquals(Errno.OK, block.move((long) i * BLOCK_BYTES).errno());
    }
  }

  private static double speed(Runnable what) {
    long began = System.nanoTime();
    what.run();
    return (double) BLOCKS * BLOCK_BYTES / (1 << 20) / ((System.nanoTime() - began) / 1e9);
  }
}
