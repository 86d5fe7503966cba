package dev.weft.fabric.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EventHeapTest {
  private record Event(long deadlineNs, long sequence, Object argument) {}

  @Test
  void shouldAnswerAsAQueueSortedByDeadlineAndSequence() {
    for (long seed = 1; seed <= 20; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      EventHeap heap = new EventHeap(1_000);
      PriorityQueue<Event> model = new PriorityQueue<>(Comparator.comparingLong(Event::deadlineNs).thenComparingLong(Event::sequence));
      for (int i = 0; i < 5_000; i++) {
        if (model.isEmpty() || (model.size() < 1_000 && random.nextInt(100) < (i < 2_500 ? 60 : 40))) {
          long deadlineNs = random.nextLong(50);
          Object argument = new Object();
          model.add(new Event(deadlineNs, heap.add(deadlineNs, seed, argument), argument));
        } else {
          Event expected = model.remove();
          Event first = new Event(heap.headDeadlineNs(), heap.headSequence(), heap.headArgument());
          assertEquals(expected, first, "seed " + seed + " step " + i);
          assertEquals(seed, heap.headTarget());
          heap.removeHead();
        }
        assertEquals(model.size(), heap.size());
      }
    }
  }

  @Test
  void shouldRefuseMoreThanItsBound() {
    EventHeap heap = new EventHeap(100);
    for (int i = 0; i < 100; i++) {
      heap.add(i, "target", null);
    }
    assertThrows(IllegalStateException.class, () -> heap.add(0, "target", null));
  }
}
