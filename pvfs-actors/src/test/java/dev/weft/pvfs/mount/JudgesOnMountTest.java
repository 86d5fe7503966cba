package dev.weft.pvfs.mount;

import dev.weft.fabric.rules.Needs;
import dev.weft.pvfs.fuse.CacheMode;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Programs that nobody here wrote, on mounts of a file system over three daemons. {@code -Dweft.pvfs.judges=N} runs N times as much. */
@Tag("client")
@Timeout(600)
class JudgesOnMountTest {
  private static final int TIMES = Integer.getInteger("weft.pvfs.judges", 1);
  private static final int SECONDS = 120 * TIMES;
  private static final String MEMORY = "weft.pvfs.daemon.memory = 96 MiB";

  /** A second each. */
  private static final List<String> STRESSORS = List.of("rename 2", "lockf 2", "flock 2", "fallocate 1 --fallocate-bytes 4m", "link 1",
      "dentry 1 --dentries 50", "dir 1 --dir-dirs 64", "symlink 1", "hdd 1 --hdd-bytes 4m", "seek 1 --seek-size 4m",
      "fstat 1", "utime 1", "xattr 1", "chmod 1");
  private static final int SHORT = 5;

  @BeforeAll
  static void assumePossible() {
    Mounted.assumePossible();
  }

  @ParameterizedTest
  @EnumSource(names = {"NONE", "FULL"})
  void shouldReadBackWhatFioHasWritten(CacheMode cache) throws Exception {
    Needs.program("fio", "fio");
    try (Mounted mounted = new Mounted(3, MEMORY, cache)) {
      String fio = "fio --directory=$A --verify=crc32c --verify_fatal=1 --verify_state_save=0 --output-format=terse --size=" + 4 * TIMES + "m";
      mounted.run(SECONDS, fio + " --name=mixed --numjobs=3 --rw=randrw --bsrange=512-256k --ioengine=psync");
      mounted.run(SECONDS, fio + " --name=direct --numjobs=2 --rw=randwrite --bs=16k --ioengine=libaio --iodepth=8 --direct=1");
      mounted.run(SECONDS, fio + " --name=mapped --rw=randwrite --bs=4k --ioengine=mmap");
      mounted.assertQuiet();
    }
  }

  @Test
  void shouldBeCopiedByRsyncAndClonedByGit() throws Exception {
    Needs.program("rsync", "rsync");
    Needs.program("git", "git");
    try (Mounted mounted = new Mounted(3, MEMORY, CacheMode.METADATA, CacheMode.METADATA)) {
      mounted.run(SECONDS, "s=$(mktemp -d); trap 'rm -r $s' EXIT; cd $s; git init -q .; g='git -c user.name=n -c user.email=n@example.com'; mkdir d;"
          + " for i in $(seq " + 150 * TIMES + "); do seq $i > d/$i; done; git add .; $g commit -qm one; seq 3000 > d/1; $g commit -qam two; git gc -q;"
          + " rsync -a $s/ $A/copy; diff -r $s $B/copy; rsync -acn --itemize-changes $s/ $B/copy | (! grep .);"
          + " git clone -q --no-local $s $A/clone; git -C $B/clone fsck --full --strict; cd $B/clone; test -z \"$(git status --porcelain)\";"
          + " echo x > d/2; $g commit -qam three; git -C $A/clone fsck --strict; test $(git -C $A/clone rev-list --count HEAD) = 3");
      mounted.assertQuiet();
    }
  }

  @Test
  void shouldKeepADatabaseOfTwoProcessesOnTwoMounts() throws Exception {
    Needs.program("sqlite3", "sqlite3");
    try (Mounted mounted = new Mounted(2, MEMORY, CacheMode.NONE, CacheMode.NONE)) {
      int each = 40 * TIMES;
      mounted.run(SECONDS, "sqlite3 $A/db 'create table t(who, n)'; for d in $A $B; do (for i in $(seq " + each + "); do"
          + " echo \"insert into t values('$d', $i); select count(*) from t;\"; done | sqlite3 -cmd '.timeout 60000' $d/db > /dev/null) & p=\"$p $!\"; done;"
          + " for one in $p; do wait $one; done; test $(sqlite3 $B/db 'select count(*) from t') = " + 2 * each + ";"
          + " test $(sqlite3 $A/db 'pragma integrity_check') = ok");
      mounted.assertQuiet();
    }
  }

  @Test
  void shouldBearWhatStressNgAndDbenchDo() throws Exception {
    Needs.program("stress-ng", "stress-ng");
    Needs.program("dbench", "dbench");
    try (Mounted mounted = new Mounted(3, MEMORY, CacheMode.METADATA)) {
      String each = " --temp-path $A --verify --timeout " + TIMES + "s -q";
      for (String stressor : STRESSORS.subList(0, TIMES > 1 ? STRESSORS.size() : SHORT)) {
        mounted.run(SECONDS, "stress-ng --" + stressor + each);
      }
      mounted.run(SECONDS, "dbench -D $A -t " + TIMES + " 2 > /dev/null");
      mounted.assertQuiet();
    }
  }
}
