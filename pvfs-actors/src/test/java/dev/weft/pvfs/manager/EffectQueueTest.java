package dev.weft.pvfs.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.layout.Striping;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EffectQueueTest {
  private static final Striping STRIPING = new Striping(0, 1, 1, 1);

  private final List<Long> begun = new ArrayList<>();
  private final List<Long> failed = new ArrayList<>();
  private boolean takes = true;
  private final Effects.Listener listener = new Effects.Listener() {
    @Override
    public void done(long intent) {}

    @Override
    public void failed(long intent, String why) {
      failed.add(intent);
    }

    @Override
    public void refused(long intent, int errno, long fileBytes) {}
  };
  private final EffectQueue queue = new EffectQueue(new Effects() {
    @Override
    public boolean begin(Intent intent, Listener told) {
      if (takes) {
        begun.add(intent.id());
      }
      return takes;
    }

    @Override
    public void close() {}
  });

  private static Intent intent(long id, long inode) {
    return new Intent(id, Intent.Kind.REMOVE, inode, STRIPING, 0);
  }

  @Test
  void shouldDoThoseOfOneInodeOneAfterTheOther() {
    assertTrue(queue.add(intent(1, 7), listener));
    assertTrue(queue.add(intent(2, 7), listener));
    assertTrue(queue.add(intent(3, 8), listener));
    assertEquals(List.of(1L, 3L), begun);
    queue.again(1, listener);
    assertEquals(List.of(1L, 3L, 1L), begun, "one that failed, before the next of its inode");
    assertEquals(7, queue.done(1, listener).inode());
    assertEquals(List.of(1L, 3L, 1L, 2L), begun);
    assertNull(queue.done(1, listener), "it is done once");
  }

  @Test
  void shouldTryAgainWhatCouldNotBeBegun() {
    queue.add(intent(1, 7), listener);
    queue.add(intent(2, 7), listener);
    takes = false;
    queue.done(1, listener);
    assertEquals(List.of(2L), failed);
    assertFalse(queue.add(intent(3, 9), listener), "nothing is taken that cannot be begun");
    takes = true;
    queue.again(2, listener);
    assertEquals(List.of(1L, 2L), begun);
  }

  @Test
  void shouldTakeNoMoreThanItMay() {
    for (long id = 1; id <= EffectQueue.MAX; id++) {
      assertTrue(queue.add(intent(id, id % 3), listener));
    }
    assertFalse(queue.add(intent(EffectQueue.MAX + 1L, 1), listener));
    queue.done(1, listener);
    assertTrue(queue.add(intent(EffectQueue.MAX + 1L, 1), listener));
  }

  @Test
  void shouldBeginWhatIsAddedTwiceOnce() {
    assertTrue(queue.add(intent(1, 7), listener));
    assertTrue(queue.add(intent(1, 7), listener));
    assertEquals(1, queue.size());
    assertEquals(7, queue.done(1, listener).inode());
    assertEquals(List.of(1L), begun);
    assertTrue(queue.add(intent(2, 7), listener));
    assertEquals(List.of(1L, 2L), begun);
  }

  @Test
  void shouldTakeACutBesideAsManyRemovalsAsItMayHave() {
    for (long id = 1; id <= EffectQueue.MAX; id++) {
      assertTrue(queue.add(intent(id, id), listener));
    }
    Intent cut = new Intent(5000, Intent.Kind.TRUNCATE, 5000, STRIPING, 0);
    assertTrue(queue.add(cut, listener));
    assertEquals(5000, begun.getLast());
    assertEquals(cut, queue.done(5000, listener));
    assertFalse(queue.add(intent(5001, 5001), listener));
  }
}
