package dev.weft.dsm.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.node.DsmNode;
import dev.weft.hca.node.LocalFabric;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Records what two nodes do, and reads it. */
@Tag("actor")
@Isolated("Searches of other tests use the same roles, which record events, too.")
@Timeout(180)
class EventsTest {
  private static void play() throws InterruptedException {
    try (LocalFabric fabric = LocalFabric.start();
        DsmNode zero = DsmNode.join(fabric, fabric.addNode("host-0"), "events", "host-0");
        DsmNode one = DsmNode.join(fabric, fabric.addNode("host-1"), "events", "host-0")) {
      SharedLongs there = zero.longs("grid", 1024, SharingUnit.pages(1));
      SharedLongs here = one.longs("grid", 1024, SharingUnit.pages(1));
      there.set(3, 1); // Its home is node 0, which has it.
      assertEquals(1, here.get(3));
      here.set(3, 2);
      DsmLock lock = zero.lock("lock");
      DsmLock same = one.lock("lock");
      lock.acquire();
      assertTrue(same.tryAcquire(Duration.ofMillis(1)).isEmpty());
      lock.release();
      same.acquire();
      same.release();
      Thread other = Thread.ofPlatform().start(() -> one.barrier("meeting", 2).await());
      zero.barrier("meeting", 2).await();
      other.join();
    }
  }

  private static List<RecordedEvent> named(List<RecordedEvent> all, String name) {
    return all.stream().filter(event -> event.getEventType().getName().equals("dev.weft.dsm." + name)).toList();
  }

  @Test
  void shouldRecordFaultsAndWaits(@TempDir Path directory) throws IOException, InterruptedException {
    List<RecordedEvent> all;
    try (Recording recording = new Recording()) {
      for (Class<? extends jdk.jfr.Event> event : List.of(FaultEvent.class, InvalidateEvent.class, LockWaitEvent.class, BarrierWaitEvent.class)) {
        recording.enable(event).withoutThreshold();
      }
      recording.start();
      play();
      recording.stop();
      Path file = directory.resolve("recording.jfr");
      recording.dump(file);
      all = RecordingFile.readAllEvents(file).stream().sorted(Comparator.comparing(RecordedEvent::getStartTime)).toList();
    }
    List<RecordedEvent> faults = named(all, "Fault");
    assertEquals(List.of("read", "write"), faults.stream().map(event -> event.getString("kind")).toList());
    RecordedEvent read = faults.getFirst();
    assertEquals("grid", read.getString("array"));
    assertEquals(0, read.getInt("minipage"));
    assertEquals(1, read.getInt("node"));
    assertEquals(0, read.getInt("from"));
    assertEquals(4096, read.getLong("bytes"));
    assertFalse(read.getDuration().isNegative() || read.getDuration().isZero(), read.toString());
    assertTrue(read.getStackTrace().getFrames().stream().anyMatch(frame -> frame.getMethod().getName().equals("play")), read.toString());
    assertEquals(-1, faults.getLast().getInt("from"), "an upgrade moves nothing");
    List<RecordedEvent> given = named(all, "Invalidate").subList(0, 2); // Nodes that leave give more away.
    assertEquals(List.of(true, false), given.stream().map(event -> event.getBoolean("keepsCopy")).toList());
    assertEquals(List.of(0, 0), given.stream().map(event -> event.getInt("node")).toList());
    assertEquals(1, given.getFirst().getInt("requester"));
    List<RecordedEvent> locks = named(all, "LockWait");
    assertTrue(locks.stream().anyMatch(event -> event.getInt("node") == 1 && !event.getBoolean("acquired")
        && event.getDuration().compareTo(Duration.ofMillis(1)) >= 0), locks.toString());
    assertTrue(locks.stream().anyMatch(event -> event.getInt("node") == 0 && event.getBoolean("acquired")), locks.toString());
    List<RecordedEvent> barriers = named(all, "BarrierWait");
    assertEquals(List.of("meeting", "meeting"), barriers.stream().map(event -> event.getString("barrier")).toList());
  }
}
