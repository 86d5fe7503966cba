package dev.weft.pvfs.mount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Needs;
import dev.weft.pvfs.fuse.CacheMode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files that programs map, with another mount of the same file system beside. Two caches cannot be one: an error is right, and no loss without one. */
@Tag("client")
@Timeout(180)
class MappedFilesTest {
  private static final int COMMITS = 100;

  @BeforeAll
  static void assumePossible() {
    Mounted.assumePossible();
    Needs.program("python3", "python3");
  }

  @ParameterizedTest
  @EnumSource
  void shouldLetOneMountOnlyWriteWhatIsMapped(CacheMode cache) throws Exception {
    try (Mounted mounted = new Mounted(2, "", cache, cache)) {
      String isClosedToOpen = cache == CacheMode.FULL ? " full" : ""; // What it shows while a file is open is not promised.
      assertEquals("OK\n", mounted.run(150, "python3 " + mounted.program("mapped.py") + " $A $B" + isClosedToOpen));
      mounted.assertQuiet();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldLoseNoCommitOfAWriteAheadLog(CacheMode cache) throws Exception {
    try (Mounted mounted = new Mounted(2, "", cache, cache)) {
      String wal = "python3 " + mounted.program("wal.py") + " ";
      assertEquals("ok: " + 2 * COMMITS + " acknowledged, " + 2 * COMMITS + " found\n", mounted.run(150, wal + "$A/one.db $A/one.db " + COMMITS));
      String said = mounted.run(150, wal + "$A/two.db $B/two.db " + COMMITS);
      assertTrue(said.contains("ok: "), said); // The program itself compares.
      mounted.assertQuiet();
    }
  }
}
