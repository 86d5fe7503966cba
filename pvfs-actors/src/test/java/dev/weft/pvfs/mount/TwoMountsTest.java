package dev.weft.pvfs.mount;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.fabric.rules.Needs;
import dev.weft.fabric.rules.OwnThread;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.Waits;
import dev.weft.pvfs.fuse.CacheMode;
import dev.weft.pvfs.wire.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What programs on two mounts of one file system see of each other. */
@Tag("client")
@Timeout(240)
class TwoMountsTest {
  private static final int LINES = Integer.getInteger("weft.pvfs.append.lines", 200);

  @BeforeAll
  static void assumePossible() {
    Mounted.assumePossible();
    Needs.program("python3", "python3");
    Needs.program("flock", "util-linux");
  }

  @Test
  void shouldExcludeEachOtherByFlock() throws Exception {
    try (Mounted mounted = new Mounted(2, "", CacheMode.NONE, CacheMode.NONE)) {
      mounted.run(60, "echo 0 > $A/n; for d in $A $B; do (cd $d; for i in $(seq 25); do flock lock sh -c 'read v < n; echo $((v + 1)) > n'; done) & done;"
          + " wait; test $(cat $B/n) = 50");
      mounted.assertQuiet();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NONE", "FULL"})
  void shouldLoseNoLineWhereBothAppend(CacheMode cache) throws Exception {
    try (Mounted mounted = new Mounted(3, "", cache, cache)) {
      String said = mounted.run(100, "python3 " + mounted.program("append.py") + " " + LINES + " $A/log $B/log");
      assertEquals("2 writers, " + 2 * LINES + " lines\n", said);
      mounted.assertQuiet();
    }
  }

  /** Of who waits for a client elsewhere, and of who waits behind it on the same mount. */
  @Test
  void shouldEndAnAppendThatWaitsByASignal() throws Exception {
    try (Mounted mounted = new Mounted(2, "", CacheMode.NONE, CacheMode.NONE)) {
      mounted.run(60, "echo first > $A/log");
      long file = mounted.files().attributes("/log").inode();
      FileLock held = FileLock.whole(FileLock.APPEND, 5, FileLock.EXCLUSIVE, 0); // Of nobody who gives it to who wants it.
      assertEquals(Errno.OK, mounted.files().meta().locks().lock(file, held));
      assertEquals("interrupted\n".repeat(12), mounted.run(60, "python3 " + mounted.program("interrupted.py") + " 12 1 $B/log"));
      assertEquals(Errno.OK, mounted.files().meta().locks().lock(file, held.of(FileLock.NONE)));
      mounted.run(60, "echo second >> $B/log; test \"$(cat $A/log)\" = $'first\\nsecond'");
      mounted.assertQuiet();
    }
  }

  /** More of them than the mount has threads, each for another file. */
  @Test
  void shouldReadOtherRequestsAndSignalsWhileAppendsWait() throws Exception {
    try (Mounted mounted = new Mounted(2, "", CacheMode.NONE, CacheMode.NONE)) {
      int count = 3 * Mounted.THREADS;
      mounted.run(60, "echo one > $A/other; for i in $(seq " + count + "); do echo first > $A/log$i; done");
      FileLock held = FileLock.whole(FileLock.APPEND, 5, FileLock.EXCLUSIVE, 0);
      for (int i = 1; i <= count; i++) {
        assertEquals(Errno.OK, mounted.files().meta().locks().lock(mounted.files().attributes("/log" + i).inode(), held));
      }
      String said = mounted.run(60, "python3 " + mounted.program("interrupted.py") + " 1 3 $(printf \"$B/log%s \" $(seq " + count + ")) > $A/said & n=0;"
          + " while kill -0 $! 2> /dev/null; do test $(cat $B/other) = one; echo > $B/made; rm $B/made; n=$((n + 1)); done; wait $!;"
          + " test $n -gt 1; cat $A/said");
      assertEquals("interrupted\n".repeat(count), said);
      for (int i = 1; i <= count; i++) {
        assertEquals(Errno.OK, mounted.files().meta().locks().lock(mounted.files().attributes("/log" + i).inode(), held.of(FileLock.NONE)));
      }
      mounted.run(60, "for i in $(seq " + count + "); do echo second >> $B/log$i; test \"$(cat $A/log$i)\" = $'first\\nsecond'; done");
      mounted.assertQuiet();
    }
  }

  @Test
  void shouldLockRangesOverBothAsOnOne() throws Exception {
    try (Mounted mounted = new Mounted(2, "", CacheMode.NONE, CacheMode.NONE)) {
      assertEquals("all held\n", mounted.run(60, "python3 " + mounted.program("locks.py") + " $A $B"));
      mounted.assertQuiet();
    }
  }

  @Test
  void shouldTellEachDescriptorOnceThatADaemonHasLostWhatWasWritten(@TempDir Path signs) throws Exception {
    try (Mounted mounted = new Mounted(2, "", CacheMode.NONE)) {
      CompletableFuture<String> said = CompletableFuture.supplyAsync(() -> {
        try {
          return mounted.run(60, "python3 " + mounted.program("fsync.py") + " $A/f " + signs);
        } catch (Exception failed) {
          throw new AssertionError(failed);
        }
      }, OwnThread::run);
      Waits.await(() -> said.isDone() || Files.exists(signs.resolve("ready")), () -> "it is written");
      mounted.cluster().restartDaemon(0);
      Files.createFile(signs.resolve("go"));
      assertEquals("OK\nOK EIO EIO EIO OK OK OK\nOK\nEIO OK\n", said.get(60, TimeUnit.SECONDS));
      mounted.assertQuiet();
    }
  }

  /** The kernel tells a mount of a close when the program has gone on already. */
  @ParameterizedTest
  @EnumSource
  void shouldKeepLengthAndTimeThatTheOtherHasSetBehindAClose(CacheMode cache) throws Exception {
    try (Mounted mounted = new Mounted(2, "", CacheMode.NONE, cache)) {
      assertEquals("OK\n", mounted.run(100, "python3 " + mounted.program("late.py") + " $A $B 60"));
      mounted.assertQuiet();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldShowTheTimeOfTheLastWriteOnBothWhileAFileIsOpenAndAfterwards(CacheMode cache) throws Exception {
    try (Mounted mounted = new Mounted(2, "", cache, cache)) {
      assertEquals("OK\n", mounted.run(100, "python3 " + mounted.program("times.py") + " $A $B"));
      mounted.assertQuiet();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldSeeAtOnceWhatTheOtherHasChanged(CacheMode cache) throws Exception {
    try (Mounted mounted = new Mounted(2, "", cache, cache)) {
      assertEquals("60 changes seen\n", mounted.run(60, "python3 " + mounted.program("changes.py") + " $A $B 3"));
      mounted.assertQuiet();
    }
  }

  /** More groups than a request can name, and capabilities in place of root. */
  @Test
  void shouldLetACallerDoWhatTheKernelLetsHimDo() throws Exception {
    Needs.program("setpriv", "util-linux");
    try (Mounted mounted = new Mounted(2, "", CacheMode.NONE)) {
      mounted.run(60, "umask 0; chmod 755 $A; mkdir -m 700 $A/d; echo x > $A/d/f; chmod 0 $A/d/f; echo g > $A/g; chgrp 5600 $A/g; chmod 640 $A/g;"
          + " as() { setpriv --reuid 1234 --regid 1234 --clear-groups --inh-caps=+$1 --ambient-caps=+$1 \"${@:2}\"; };"
          + " setpriv --reuid 1234 --regid 1234 --groups $(seq -s, 5001 5600) cat $A/g;"
          + " ! setpriv --reuid 1234 --regid 1234 --groups $(seq -s, 5001 5599) cat $A/g;"
          + " as dac_read_search cat $A/d/f; ! as fowner cat $A/d/f; as dac_override touch $A/d/new; as fowner chmod 600 $A/g; as chown chown 7:8 $A/g;"
          + " test $(stat -c %u:%g:%a $A/g) = 7:8:600; mkdir -m 777 $A/o; as mknod mknod $A/o/null c 1 3; test $(stat -c %t:%T $A/o/null) = 1:3;"
          + " ! as chown mknod $A/o/zero c 1 5");
      mounted.assertQuiet();
    }
  }

  @Test
  void shouldCountTheFurtherGroupsOfACaller() throws Exception {
    Needs.program("setpriv", "util-linux");
    try (Mounted mounted = new Mounted(2, "", CacheMode.NONE)) {
      mounted.run(60, "umask 0; chmod 755 $A; mkdir $A/d; chgrp 4321 $A/d; chmod 770 $A/d; echo x > $A/d/f; chmod 640 $A/d/f; chgrp 4321 $A/d/f;"
          + " setpriv --reuid 1234 --regid 1234 --groups 99,4321 cat $A/d/f; setpriv --reuid 1234 --regid 1234 --groups 4321 touch $A/d/g;"
          + " ! setpriv --reuid 1234 --regid 1234 --groups 99 cat $A/d/f");
      mounted.assertQuiet();
    }
  }
}
