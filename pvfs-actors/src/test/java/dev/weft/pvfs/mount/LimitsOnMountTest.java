package dev.weft.pvfs.mount;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.pvfs.files.FileSystemCluster;
import dev.weft.pvfs.fuse.CacheMode;
import dev.weft.pvfs.manager.FileSystemLabel;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the disks of I/O daemons do not let a file be. */
@Tag("client")
@Timeout(120)
class LimitsOnMountTest {
  private static final String SETTINGS = "weft.pvfs.manager { grace = 100 ms, store.reserve = 1 MiB }\nweft.pvfs.daemon.zones = 12 MiB";

  @TempDir private Path directory;

  @BeforeAll
  static void assumePossible() {
    Mounted.assumePossible();
  }

  /**
   * A file of ext4 has at most 16 TiB, so that two daemons have no file of 64 TiB: the program is told at once, and the file stays as it is. Where the disk's
   * file system has such files the file has that length.
   */
  @ParameterizedTest
  @ValueSource(strings = {"70368744177664", "4611686018427387904", "70368745177664"})
  void shouldRefuseALengthThatNoDiskHas(String length) throws Exception {
    FileSystemCluster cluster = new FileSystemCluster(2, SETTINGS, directory, FileSystemLabel.random(2));
    try (Mounted mounted = new Mounted(cluster, CacheMode.NONE, CacheMode.METADATA)) {
      String said = mounted.run(60, "head -c 300000 /dev/urandom > $A/f && cp $A/f " + directory + "/copy; "
          + "bytes=300000; if LC_ALL=C truncate -s " + length + " $A/f 2> " + directory + "/why; then bytes=" + length + "; "
          + "else grep -q 'File too large' " + directory + "/why || cat " + directory + "/why; fi; "
          + "[ $(stat -c %s $A/f) = $bytes ] || stat $A/f; [ $(stat -c %s $B/f) = $bytes ] || stat $B/f; "
          + "head -c 300000 $B/f | cmp - " + directory + "/copy; truncate -s 5 $B/f; stat -c %s $A/f; rm $A/f; ls $B");
      assertEquals("5\n", said);
    }
  }
}
