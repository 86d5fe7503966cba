package dev.weft.pvfs.daemon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
import dev.weft.fabric.time.ManualTime;
import dev.weft.pvfs.Costs;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.DaemonOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The protocol of a file access manager, message by message, with its real store on a disk that can fail. The actor runs on the thread of the test,
 * and time passes when the test says so.
 */
@Tag("actor")
@Timeout(180)
class FileAccessActorTest {
  private static final DispatcherSelector ON_THIS_THREAD = DispatcherSelector.fromConfig("akka.test.calling-thread-dispatcher");
  private static final long OBJECT = 7;
  private static final int BYTES = 3 * Sums.BLOCK_BYTES / 2;
  private static final long BUSY_NS = 500;

  private final ActorTestKit kit = ActorTestKit.create();
  private final ManualTime time = new ManualTime();
  private final CrashDisk disk = new CrashDisk(new Random(1));
  private final DiskCounters counters = new DiskCounters();
  private final List<DiskJob> done = new ArrayList<>();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  @AfterEach
  void end() {
    kit.shutdownTestKit();
  }

  private ActorRef<FileAccessActor.Command> start(Costs costs) {
    FileAccess access = new FileAccess(new ObjectStore(disk, 1, 16, 64, counters, _ -> { }), disk, counters);
    return kit.spawn(FileAccessActor.create(access, done::add, closed, costs, time.context(1)), "access", ON_THIS_THREAD);
  }

  private static DiskJob part(DaemonOp what, int filling) {
    DiskJob job = new DiskJob(null, what, OBJECT);
    job.offsets = new long[] {0};
    job.lengths = new int[] {BYTES};
    job.data = Arena.ofAuto().allocate(BYTES).fill((byte) filling);
    job.write = what == DaemonOp.WRITE ? new DiskJob.Write() : null;
    job.isLast = true;
    job.end = BYTES;
    return job;
  }

  private static void assertFilled(MemorySegment data, int with) {
    byte[] expected = new byte[BYTES];
    Arrays.fill(expected, (byte) with);
    assertArrayEquals(expected, data.toArray(ValueLayout.JAVA_BYTE));
  }

  @Test
  void shouldDoTheJobsOfAnObjectInTheirOrder() {
    ActorRef<FileAccessActor.Command> access = start(Costs.NONE);
    List<DiskJob> jobs = List.of(part(DaemonOp.WRITE, 1), part(DaemonOp.READ, 0), part(DaemonOp.WRITE, 2), part(DaemonOp.READ, 0),
        new DiskJob(null, DaemonOp.SYNC, OBJECT), new DiskJob(null, DaemonOp.STAT, OBJECT));
    jobs.forEach(job -> FileAccessActor.send(access, job));
    assertEquals(jobs, done);
    assertFilled(jobs.get(1).data, 1);
    assertFilled(jobs.get(3).data, 2);
    assertEquals(BYTES, jobs.get(5).objectBytes);
    assertEquals(1, counters.syncs.get());
  }

  @Test
  void shouldReportAFailureOfTheDiskAndGoOn() {
    ActorRef<FileAccessActor.Command> access = start(Costs.NONE);
    disk.writesToFailure = 1; // The marks come first.
    for (int i = 0; done.stream().noneMatch(job -> job.errno != Errno.OK); i++) {
      assertTrue(i < 4, "no write has failed");
      FileAccessActor.send(access, part(DaemonOp.WRITE, 1));
    }
    assertEquals(Errno.ENOSPC, done.getLast().errno);
    assertTrue(counters.errors.get() > 0);
    FileAccessActor.send(access, part(DaemonOp.WRITE, 3));
    FileAccessActor.send(access, part(DaemonOp.READ, 0));
    assertEquals(Errno.OK, done.getLast().errno);
    assertFilled(done.getLast().data, 3);
  }

  @Test
  void shouldAnswerAJobWithADefectInIt() {
    ActorRef<FileAccessActor.Command> access = start(Costs.NONE);
    DiskJob defect = part(DaemonOp.READ, 0);
    defect.lengths = new int[] {2 * BYTES};
    FileAccessActor.send(access, defect);
    FileAccessActor.send(access, part(DaemonOp.WRITE, 1));
    assertEquals(List.of(Errno.EIO, Errno.OK), done.stream().map(job -> job.errno).toList());
  }

  @Test
  void shouldBeBusyWithOneJobForAsLongAsItCosts() {
    ActorRef<FileAccessActor.Command> access = start(new Costs() {
      @Override
      public long fileNs(boolean isWrite, long bytes) {
        assertEquals(BYTES, bytes);
        return isWrite ? 2 * BUSY_NS : BUSY_NS;
      }
    });
    List<DiskJob> jobs = List.of(part(DaemonOp.WRITE, 1), part(DaemonOp.READ, 0), new DiskJob(null, DaemonOp.STAT, OBJECT));
    jobs.forEach(job -> FileAccessActor.send(access, job));
    time.pass(2 * BUSY_NS - 1);
    assertEquals(List.of(), done);
    time.pass(1);
    assertEquals(jobs.subList(0, 1), done);
    time.pass(0); // The request manager continues first.
    time.pass(BUSY_NS - 1);
    assertEquals(jobs.subList(0, 1), done);
    time.pass(1);
    assertEquals(jobs.subList(0, 2), done);
    time.pass(0);
    assertEquals(jobs, done, "what moves no data takes no time");
    assertEquals(0, time.alarms());
  }

  @Test
  void shouldDoAndSyncWhatItHasAcceptedBeforeItStops() throws Exception {
    ActorRef<FileAccessActor.Command> access = start(new Costs() {
      @Override
      public long fileNs(boolean isWrite, long bytes) {
        return BUSY_NS;
      }
    });
    FileAccessActor.send(access, part(DaemonOp.WRITE, 1));
    FileAccessActor.send(access, part(DaemonOp.WRITE, 2));
    assertFalse(closed.isDone());
    access.tell(FileAccessActor.Stop.INSTANCE);
    closed.get(90, TimeUnit.SECONDS);
    assertEquals(List.of(), done, "nobody waits for its answers any more");
    disk.powerFailure();
    ObjectStore after = new ObjectStore(disk, 2, 16, 64, counters, _ -> { });
    MemorySegment read = Arena.ofAuto().allocate(BYTES);
    after.read(OBJECT, 0, read);
    assertFilled(read, 2);
  }
}
