package dev.weft.fabric.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the kernel says of the slices of threads, before and after they ask for others. */
@Timeout(180)
class TimeSliceTest {
  private static final long SHORT_NS = 200_000;

  @BeforeEach
  void requireAKernelThatSays() throws Exception {
    assumeTrue(inNewThread(TimeSlice::current) > 0, "this kernel has no slices of threads (Linux 6.12 and later)");
  }

  private static <T> T inNewThread(java.util.concurrent.Callable<T> what) throws Exception {
    FutureTask<T> task = new FutureTask<>(what);
    Thread.ofPlatform().start(task);
    return task.get();
  }

  @Test
  void shouldHaveTheSliceThatItAsksFor() throws Exception {
    assertEquals(SHORT_NS, inNewThread(() -> {
      assertTrue(TimeSlice.request(SHORT_NS));
      return TimeSlice.current();
    }));
  }

  @Test
  void shouldLeaveThreadsAloneThatItStarts() throws Exception {
    long usual = inNewThread(TimeSlice::current);
    assertEquals(usual, inNewThread(() -> {
      assertTrue(TimeSlice.request(SHORT_NS));
      return inNewThread(TimeSlice::current);
    }));
  }
}
