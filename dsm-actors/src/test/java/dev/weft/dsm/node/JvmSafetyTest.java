package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedMemoryException;
import dev.weft.dsm.SharingUnit;
import dev.weft.fabric.rules.Waits;
import dev.weft.hca.node.LocalFabric;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Collections and thread dumps while many threads fault; many minipages; what does not fit in. Two nodes in this JVM. */
@Tag("jvms")
@Timeout(300)
class JvmSafetyTest {
  private static final int THREADS = 64;
  /** As many pairs as there are threads of a node; each pair has a word that both nodes add to. */
  private static final int WORDS = THREADS / 2;
  private static final int ROUNDS = 2;

  @TempDir private Path directory;

  private static LocalFabric fabric(String settings) {
    return LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false\n" + settings));
  }

  private static List<DsmNode> twoNodes(LocalFabric fabric) {
    DsmNode zero = DsmNode.join(fabric, fabric.addNode("host-0"), "test", "host-0");
    return List.of(zero, DsmNode.join(fabric, fabric.addNode("host-1"), "test", "host-0"));
  }

  private void dumpThreadsFromOutside(int round) throws Exception {
    Process jcmd = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
        Long.toString(ProcessHandle.current().pid()), "Thread.print").redirectErrorStream(true)
        .redirectOutput(directory.resolve("threads-" + round).toFile()).start();
    assertTrue(jcmd.waitFor(120, TimeUnit.SECONDS), "no dump of threads");
    assertEquals(0, jcmd.exitValue());
  }

  @Test
  void shouldGoOnWhenMemoryIsCollectedAndThreadsAreDumpedWhileThreadsFault() throws Exception {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (LocalFabric fabric = fabric("weft.dsm.memory = 1 MiB")) {
      List<DsmNode> nodes = twoNodes(fabric);
      long[] added = new long[THREADS];
      Flag over = new Flag();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int number = i;
        SharedLongs words = nodes.get(i % 2).longs("words", WORDS, SharingUnit.bytes(8));
        threads.add(Thread.ofPlatform().start(() -> {
          try {
            while (!over.isSet) {
              words.getAndAdd(number / 2, 1);
              added[number]++;
            }
          } catch (Throwable failed) {
            failure.compareAndSet(null, failed);
          }
        }));
      }
      for (int round = 0; round < ROUNDS; round++) {
        long before = faults(nodes);
        System.gc();
        assertTrue(ManagementFactory.getThreadMXBean().dumpAllThreads(true, true).length >= THREADS);
        dumpThreadsFromOutside(round);
        assertNull(ManagementFactory.getThreadMXBean().findDeadlockedThreads());
        Waits.seen("more faults than " + before, () -> faults(nodes), faults -> faults > before);
      }
      over.isSet = true;
      for (Thread thread : threads) {
        thread.join();
      }
      assertNull(failure.get(), () -> failure.get().toString());
      SharedLongs words = nodes.getFirst().longs("words", WORDS, SharingUnit.bytes(8));
      for (int word = 0; word < WORDS; word++) {
        assertEquals(added[2 * word] + added[2 * word + 1], words.get(word), "word " + word);
      }
      nodes.reversed().forEach(DsmNode::close);
    }
  }

  private static final class Flag {
    volatile boolean isSet;
  }

  private static long faults(List<DsmNode> nodes) {
    return nodes.stream().mapToLong(node -> node.inspect().writeFaults()).sum();
  }

  @Test
  void shouldUseSeventyThousandMinipagesOfAnArrayAndGiveThemBack() {
    int minipages = 70_000;
    try (LocalFabric fabric = fabric("weft.dsm.memory = 1 MiB")) {
      List<DsmNode> nodes = twoNodes(fabric);
      for (int time = 0; time < 2; time++) { // The second time, in the place of the first.
        SharedLongs zero = nodes.get(0).longs("words", minipages, SharingUnit.bytes(8));
        SharedLongs one = nodes.get(1).longs("words", minipages, SharingUnit.bytes(8));
        for (int i = 0; i < minipages; i++) {
          (i % 3 == 0 ? one : zero).set(i, i + 1L + time);
        }
        long sum = 0;
        for (int i = 0; i < minipages; i++) {
          sum += (i % 2 == 0 ? zero : one).get(i);
        }
        assertEquals(minipages * (minipages + 1L) / 2 + (long) time * minipages, sum);
        nodes.get(time).free("words");
        assertTrue(nodes.getFirst().inspect().arrays().isEmpty());
      }
      nodes.reversed().forEach(DsmNode::close);
    }
  }

  @Test
  void shouldRefuseWhatDoesNotFitInAndGoOn() {
    try (LocalFabric fabric = fabric("weft.dsm.memory = 64 KiB\nweft.dsm.minipages-max = 1000")) {
      List<DsmNode> nodes = twoNodes(fabric);
      SharedLongs words = nodes.get(1).longs("words", 900, SharingUnit.bytes(8));
      words.set(899, 7);
      for (DsmNode node : nodes) {
        String tooMany = assertThrows(SharedMemoryException.class, () -> node.longs("many", 101, SharingUnit.bytes(8))).getMessage();
        assertTrue(tooMany.contains("weft.dsm.minipages-max") && tooMany.contains("1000"), tooMany);
        String tooLong = assertThrows(SharedMemoryException.class, () -> node.longs("long", 8192, SharingUnit.whole())).getMessage();
        assertTrue(tooLong.contains("weft.dsm.memory") && tooLong.contains("65536"), tooLong);
      }
      SharedLongs fits = nodes.get(0).longs("fits", 100, SharingUnit.bytes(8));
      fits.set(99, 8);
      assertEquals(8, nodes.get(1).longs("fits", 100, SharingUnit.bytes(8)).get(99));
      assertEquals(7, nodes.get(0).longs("words", 900, SharingUnit.bytes(8)).get(899));
      nodes.get(0).free("words");
      assertEquals(0, nodes.get(1).longs("many", 101, SharingUnit.bytes(8)).get(100));
      nodes.reversed().forEach(DsmNode::close);
    }
  }
}
