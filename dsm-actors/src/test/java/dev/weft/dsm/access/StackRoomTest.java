package dev.weft.dsm.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class StackRoomTest {
  /** Frames that what runs behind the check may have: each of them has some 100 bytes at least, most where it is interpreted. */
  private static final int FRAMES = 200;

  /** How deep the thread was when it was refused. */
  private static int goDown(int depth, Runnable check) {
    try {
      check.run();
    } catch (StackOverflowError refused) {
      assertEquals(FRAMES, sink(FRAMES, 1, 2, 3, 4, 5), "what is promised is there");
      return depth;
    }
    return goDown(depth + 1, check);
  }

  private static int sink(int frames, long a, long b, long c, long d, long e) {
    return frames == 0 ? 0 : 1 + sink(frames - 1, b, c, d, e, a + frames);
  }

  private static int refusedAt(long stackBytes, Runnable check) throws InterruptedException {
    AtomicReference<Throwable> failed = new AtomicReference<>();
    int[] depth = new int[1];
    Thread thread = new Thread(null, () -> {
      try {
        depth[0] = goDown(0, check);
      } catch (Throwable failure) {
        failed.set(failure);
      }
    }, "deep", stackBytes);
    thread.start();
    thread.join();
    assertNull(failed.get(), () -> "in the middle of something: " + failed.get());
    return depth[0];
  }

  @ParameterizedTest
  @ValueSource(longs = {512 << 10, 1 << 20, 4 << 20})
  void shouldRefuseBeforeTheStackIsUsedUp(long stackBytes) throws InterruptedException {
    assertTrue(refusedAt(stackBytes, StackRoom::require) > 100);
    assertTrue(refusedAt(stackBytes, StackRoom::requireByCalls) > 100);
  }

  @Test
  void shouldKnowHowMuchIsLeft() throws InterruptedException {
    long[] left = new long[3];
    Thread thread = new Thread(null, () -> {
      left[0] = ThreadStack.leftBytes();
      left[1] = deeper(100);
    }, "shallow", 1 << 20);
    thread.start();
    thread.join();
    assertTrue(left[0] > (1 << 20) - (64 << 10) && left[0] <= (1 << 20) + (64 << 10), left[0] + " of a MiB");
    assertTrue(left[1] < left[0] - 100 * 16, left[1] + " after " + left[0]);
    Thread.ofVirtual().start(() -> left[2] = ThreadStack.leftBytes()).join();
    assertEquals(ThreadStack.UNKNOWN, left[2]);
  }

  private static long deeper(int frames) {
    return frames == 0 ? ThreadStack.leftBytes() : Math.min(Long.MAX_VALUE, deeper(frames - 1));
  }
}
