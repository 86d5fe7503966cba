package dev.weft.lab.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class QpContextsTest {
  @Test
  void shouldHaveAtHandWhatWasUsedLast() {
    for (int entries : new int[] {1, 2, 7, 128}) {
      SplittableRandom random = new SplittableRandom(entries);
      QpContexts contexts = new QpContexts(entries);
      LinkedHashSet<Long> model = new LinkedHashSet<>();
      for (int i = 0; i < 20_000; i++) {
        long queuePair = random.nextInt(10) == 0 ? i % (2 * entries) : (long) random.nextInt(entries + 3) << 24 | 0x11;
        boolean missing = !model.remove(queuePair);
        if (missing && model.size() == entries) {
          model.remove(model.getFirst());
        }
        model.add(queuePair);
        assertEquals(missing, contexts.misses(queuePair), entries + " entries, use " + i);
      }
    }
  }
}
