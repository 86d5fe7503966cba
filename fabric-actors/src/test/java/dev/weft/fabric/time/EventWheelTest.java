package dev.weft.fabric.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EventWheelTest {
  private record Event(long deadlineNs, long sequence, Object argument) {}

  /** Near and far deadlines, many of them equal, and such that come within reach while others of the same nanosecond are added. */
  private static long delayNs(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> random.nextLong(3);
      case 1 -> random.nextLong(EventWheel.SPAN_NS + 2);
      case 2 -> EventWheel.SPAN_NS - 2 + random.nextLong(4);
      default -> random.nextLong(5L * EventWheel.SPAN_NS);
    };
  }

  @Test
  void shouldAnswerAsAQueueSortedByDeadlineAndSequence() {
    for (long seed = 1; seed <= 40; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      EventWheel wheel = new EventWheel(500);
      PriorityQueue<Event> model = new PriorityQueue<>(Comparator.comparingLong(Event::deadlineNs).thenComparingLong(Event::sequence));
      long nowNs = 0;
      long sequence = 0;
      for (int i = 0; i < 10_000; i++) {
        int adding = i % 2_000 < 1_000 ? 55 : 45;
        if (model.isEmpty() || (model.size() < 500 && random.nextInt(100) < adding)) {
          Event event = new Event(nowNs + delayNs(random), sequence++, new Object());
          model.add(event);
          wheel.add(event.deadlineNs(), seed, event.argument());
        } else {
          Event expected = model.remove();
          String place = "seed " + seed + " step " + i;
          nowNs = wheel.headDeadlineNs();
          assertEquals(expected.deadlineNs(), nowNs, place);
          int slot = wheel.head();
          assertEquals(expected, new Event(nowNs, wheel.sequence(slot), wheel.argument(slot)), place);
          assertEquals(seed, wheel.target(slot));
          wheel.removeHead();
          nowNs += random.nextInt(50) == 0 && (model.isEmpty() || model.peek().deadlineNs() > nowNs + 9_000) ? 9_000 : 0;
        }
        assertEquals(model.size(), wheel.size());
        assertEquals(model.isEmpty(), wheel.isEmpty());
      }
    }
  }

  @Test
  void shouldRefuseMoreThanItsBoundNearAndFarTogether() {
    EventWheel wheel = new EventWheel(100);
    for (int i = 0; i < 100; i++) {
      wheel.add(i * 1_000L, "target", null);
    }
    assertTrue(assertThrows(IllegalStateException.class, () -> wheel.add(0, "target", null)).getMessage().contains("100"));
  }
}
