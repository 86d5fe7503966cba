package dev.weft.pvfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/** What a client remembers of changes that may be lost, and whom it tells. */
class LostChangesTest {
  private final LostChanges losses = new LostChanges(3);
  private final UnsyncedChanges changes = new UnsyncedChanges(3);

  private void change(long... files) {
    for (long file : files) {
      changes.changed(file);
    }
  }

  private boolean tells(long file) {
    return losses.watch(file).tells();
  }

  @Test
  void shouldForgetWhatWasSyncedAndNoChangeAfterIt() {
    change(1, 2);
    long sent = changes.counted();
    change(2);
    changes.synced(1, sent);
    changes.synced(2, sent);
    changes.moveTo(losses);
    assertTrue(changes.isEmpty());
    assertFalse(tells(1));
    assertTrue(tells(2));
  }

  @Test
  void shouldTellTooMuchRatherThanTooLittleOfMoreUnsyncedFilesThanItRemembers() {
    change(10, 20, 30, 40);
    changes.synced(40, changes.counted());
    LossWatch open = losses.watch(5);
    changes.moveTo(losses);
    assertTrue(open.tells(), "below 41 it may be any");
    assertFalse(open.tells());
    assertTrue(tells(10) && tells(20) && tells(30) && tells(40));
    assertFalse(tells(41), "made later");
    changes.moveTo(losses);
    assertFalse(open.tells(), "nothing was changed since");
  }

  @Test
  void shouldTellTooMuchRatherThanTooLittleOfMoreLostFilesThanItRemembers() {
    change(10, 20, 30);
    changes.moveTo(losses);
    change(40);
    LossWatch open = losses.watch(40);
    changes.moveTo(losses);
    assertTrue(open.tells());
    assertFalse(open.tells());
    assertTrue(tells(40), "whether somebody was told is not known");
    assertTrue(tells(10));
    assertFalse(tells(10), "of this it is");
    assertFalse(tells(41));
  }

  @Test
  void shouldTellOfEachLoss() {
    LossWatch open = losses.watch(1);
    for (int i = 0; i < 3; i++) {
      change(1);
      changes.moveTo(losses);
      assertTrue(open.tells());
      assertFalse(open.tells());
    }
    change(1);
    changes.moveTo(losses);
    change(1);
    changes.moveTo(losses);
    assertTrue(open.tells());
    assertFalse(open.tells(), "of two at once");
  }

  /** With room for some files, or all: nobody who lost something is told nothing; with room for all, nobody else is told. */
  @Test
  void shouldTellAsASimpleModelDoesOrMore() {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    for (int run = 0; run < 500; run++) {
      int files = 6;
      int room = random.nextBoolean() ? files : 1 + random.nextInt(3);
      LostChanges lost = new LostChanges(room);
      UnsyncedChanges unsynced = new UnsyncedChanges(room);
      Set<Long> dirty = new HashSet<>();
      Map<LossWatch, Long> open = new HashMap<>();
      Map<LossWatch, Boolean> mustTell = new HashMap<>();
      Set<Long> untold = new HashSet<>();
      for (int step = 0; step < 60; step++) {
        long file = 1 + random.nextInt(files);
        switch (random.nextInt(6)) {
          case 0, 1 -> {
            unsynced.changed(file);
            dirty.add(file);
          }
          case 2 -> {
            unsynced.synced(file, unsynced.counted());
            dirty.remove(file);
          }
          case 3 -> {
            LossWatch watch = lost.watch(file);
            open.put(watch, file);
            mustTell.put(watch, untold.contains(file));
          }
          case 4 -> {
            unsynced.moveTo(lost);
            open.forEach((watch, of) -> mustTell.merge(watch, dirty.contains(of), Boolean::logicalOr));
            untold.addAll(dirty);
            dirty.clear();
          }
          default -> open.forEach((watch, of) -> {
            boolean must = mustTell.put(watch, false);
            boolean tells = watch.tells();
            assertTrue(room < files ? tells || !must : tells == must, () -> "seed " + seed + ", file " + of + ", must tell: " + must);
            if (tells) {
              untold.remove(of);
            }
          });
        }
      }
    }
  }

  @Test
  void shouldSayForPeopleWhatItRemembers() {
    change(1);
    assertEquals("1 file", changes.toString());
    change(2, 3);
    assertEquals("3 files", changes.toString());
    change(4);
    assertEquals("3 files, and more files than are remembered", changes.toString());
  }
}
