package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.access.Rights;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The search finds what it is for: bugs are planted between the real core of the synchronous engine and the model of memory, one at a time. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("memory of a search")
@Timeout(300)
class DirectPlantedBugsTest {
  private static final int STATES_MAX = 2_000_000;
  private static final String TWO_RIGHTS = "of them writable";
  private static final String DIFFERENT = "copies of word";
  private static final String MORE = "more of word";
  private static final String LOST_FOR_NOTHING = "a word is lost that others have";
  private static final String STUCK = "stuck";
  private static final String UNEXPLAINED = "no order of what was done explains";

  /** Programs that were searched without a bug. */
  private static final Set<String> SOUND = ConcurrentHashMap.newKeySet();

  private static void shouldFind(String problem, String program, DirectPlant plant) {
    shouldFind(problem, program, 0, plant);
  }

  private static void shouldFind(String problem, String program, int crashes, DirectPlant plant) {
    Program parsed = Program.of(program);
    String found = assertThrows(Search.Found.class, new Search(program, () -> new DirectModel(parsed, crashes, plant), STATES_MAX)::run).getMessage();
    assertTrue(found.lines().findFirst().orElseThrow().contains(problem), found);
    if (SOUND.add(program + crashes)) {
      new Search(program, () -> new DirectModel(parsed, crashes, DirectPlant.NONE), STATES_MAX).run(); // Without it, nothing is found.
    }
  }

  @Test
  void shouldFindThatAnnouncementsAreReadBeforeTheRightIsTaken() {
    shouldFind(UNEXPLAINED, "X0|X0", new DirectPlant() {
      @Override
      boolean looksAfterTaking() {
        return false;
      }
    });
  }

  @Test
  void shouldFindThatNobodyWaitsForAThreadInside() {
    shouldFind(UNEXPLAINED, "X0|X0", new DirectPlant() {
      @Override
      boolean waitsForInsiders() {
        return false;
      }
    });
  }

  @Test
  void shouldFindThatAThreadLooksAtItsRightBeforeItAnnounces() {
    shouldFind(UNEXPLAINED, "X0|X0", new DirectPlant() {
      @Override
      boolean announcesFirst() {
        return false;
      }
    });
  }

  @Test
  void shouldFindThatAThreadLeavesBeforeItHasStored() {
    shouldFind(UNEXPLAINED, "X0|X0", new DirectPlant() {
      @Override
      boolean storesBeforeLeaving() {
        return false;
      }
    });
  }

  @Test
  void shouldFindThatAnEntryIsFreeBeforeItIsWritten() {
    shouldFind(MORE, "|W0|R0", new DirectPlant() {
      @Override
      boolean freesLast() {
        return false;
      }
    });
  }

  @Test
  void shouldFindThatAnEntryIsNeverFreed() {
    shouldFind(STUCK, "|W0|R0", new DirectPlant() {
      @Override
      boolean frees() {
        return false;
      }
    });
  }

  @Test
  void shouldFindThatTwoNodesLockAnEntry() {
    shouldFind(TWO_RIGHTS, "|W0|W0", new DirectPlant() {
      @Override
      boolean locksOnlyWhatIsFree() {
        return false;
      }
    });
  }

  @Test
  void shouldFindThatACopyIsForgotten() {
    shouldFind(MORE, "|R0|W0", new DirectPlant() {
      @Override
      long copies(long copies) {
        return Long.lowestOneBit(copies);
      }
    });
  }

  @Test
  void shouldFindThatACopyIsNotTaken() {
    shouldFind(TWO_RIGHTS, "R0|W0", new DirectPlant() {
      @Override
      boolean takes(byte rights) {
        return rights != Rights.NONE;
      }
    });
  }

  @Test
  void shouldFindThatWhoSharesMayWriteStill() {
    shouldFind(TWO_RIGHTS, "W0|R0", new DirectPlant() {
      @Override
      boolean takes(byte rights) {
        return rights != Rights.READ;
      }
    });
  }

  @Test
  void shouldFindThatARightComesAfterTheEntryIsFree() {
    shouldFind(TWO_RIGHTS, "|W0|R0", new DirectPlant() {
      @Override
      boolean grantsBeforeUnlocking() {
        return false;
      }
    });
  }

  @Test
  void shouldFindThatDataIsNotFetched() {
    shouldFind(DIFFERENT, "W0|R0", new DirectPlant() {
      @Override
      boolean fetches() {
        return false;
      }
    });
  }

  @Test
  void shouldFindThatAThreadDoesNotLookAgain() {
    shouldFind(UNEXPLAINED, "X0|X0|X0", new DirectPlant() {
      @Override
      boolean looksAgain() {
        return false;
      }
    });
  }

  @Test
  void shouldFindThatTheLocksOfTheLostAreKept() {
    shouldFind(STUCK, "R0||W0", 4, new DirectPlant() {
      @Override
      boolean freesWhatTheLostHaveLocked() {
        return false;
      }
    });
  }

  @Test
  void shouldFindThatTheNextHomeLooksFreeBeforeItKnows() {
    shouldFind(MORE, "W0|R0|R0", 1, new DirectPlant() {
      @Override
      boolean closesWhatIsNotItsOwn() {
        return false;
      }
    });
  }

  @Test
  void shouldFindThatTheNextHomeServesBeforeAllHaveSaidWhatTheyHave() {
    shouldFind(LOST_FOR_NOTHING, "|R0|R0", 1, new DirectPlant() {
      @Override
      boolean waitsForAll() {
        return false;
      }
    });
  }

  @Test
  void shouldFindThatNobodySaysWhatItHadLockedInALostHome() {
    shouldFind(LOST_FOR_NOTHING, "|W0|W0", 1, new DirectPlant() {
      @Override
      boolean saysWhatItHadLocked() {
        return false;
      }
    });
  }

  @Test
  void shouldFindThatWhoHadLockedSaysWhatItHasBeforeItsVerbsHaveEnded() {
    shouldFind(LOST_FOR_NOTHING, "|W0|W0", 1, new DirectPlant() {
      @Override
      boolean waitsForVerbs() {
        return false;
      }
    });
  }

  @Test
  void shouldFindThatWhatTheLostMayHaveWrittenIsKept() {
    shouldFind(UNEXPLAINED, "|R1 R0|W0 W1", 4, new DirectPlant() {
      @Override
      boolean losesWhatTheLostMayHaveWritten() {
        return false;
      }
    });
  }
}
