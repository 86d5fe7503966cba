package dev.weft.pvfs.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Needs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Programs that nobody here wrote work on the mount as they do elsewhere. */
@Tag("client")
@Timeout(180)
class JudgesTest {
  private static final long BYTES = 512L << 20;

  @TempDir
  Path temporary;
  private final MemoryFileSystem memory = new MemoryFileSystem(BYTES);
  private MountedMemory mounted;

  @BeforeAll
  static void assumePossible() throws Exception {
    MountedMemory.assumePossible();
  }

  private void mount(CacheMode cache) throws Exception {
    mounted = MountedMemory.of(memory, MountedMemory.options().cache(cache));
  }

  @AfterEach
  void unmount() throws Exception {
    if (mounted != null) {
      mounted.close();
    }
  }

  @ParameterizedTest
  @EnumSource(CacheMode.class)
  void shouldKeepWhatCpCopies(CacheMode cache) throws Exception {
    mount(cache);
    byte[] content = new byte[(5 << 20) + 4321];
    ThreadLocalRandom.current().nextBytes(content);
    Path original = Files.write(temporary.resolve("original"), content);
    Command.sh("cp " + original + " " + mounted.path("copy") + " && cmp " + original + " " + mounted.path("copy"));
    Command.sh("cp --sparse=always " + mounted.path("copy") + " " + mounted.path("again") + " && cmp " + original + " " + mounted.path("again"));
    Command.sh("cd " + mounted.path() + " && mv again moved && ln moved link && test $(stat -c %h link) = 2 && rm moved && cmp copy link");
    assertEquals(content.length + "\n", Command.run("stat", "-c", "%s", mounted.path("link")));
    mounted.assertQuiet();
  }

  @Test
  void shouldKeepATreeWhenRsyncCopiesIt() throws Exception {
    Needs.program("rsync", "rsync");
    mount(CacheMode.METADATA);
    Path tree = Path.of(System.getProperty("weft.root", ".."), "pvfs-actors", "src");
    Command.run("rsync", "-aHX", tree.toString(), mounted.path());
    Command.run("diff", "-r", tree.toString(), mounted.path("src"));
    assertEquals("", Command.run("rsync", "-aHXc", "--itemize-changes", tree.toString(), mounted.path()), "a second time there is nothing to do");
    mounted.assertQuiet();
  }

  @ParameterizedTest
  @EnumSource(CacheMode.class)
  void shouldHoldARepositoryOfGit(CacheMode cache) throws Exception {
    Needs.program("git", "git");
    mount(cache);
    String identity = "-c user.name=test -c user.email=test@localhost -c init.defaultBranch=main";
    String source = temporary.resolve("source").toString();
    Command.sh("git " + identity + " init -q " + source + " && cd " + source + " && for i in $(seq 200); do echo $i > file-$i; done && git add . && git "
        + identity + " commit -q -m one && seq 5000 > file-1 && git " + identity + " commit -q -a -m two && git gc -q");
    String clone = mounted.path("clone");
    Command.sh("git clone -q --no-local " + source + " " + clone + " && git -C " + clone + " fsck --full --strict");
    Command.sh("cd " + clone + " && git " + identity + " switch -q -c other && echo x > file-2 && git " + identity
        + " commit -q -a -m three && git repack -q -a -d && git fsck --full --strict && test -z \"$(git status --porcelain)\"");
    mounted.assertQuiet();
  }

  @ParameterizedTest
  @EnumSource(CacheMode.class)
  void shouldReadBackWhatFioHasWritten(CacheMode cache) throws Exception {
    Needs.program("fio", "fio");
    mount(cache);
    String common = "fio --directory=" + mounted.path() + " --verify=crc32c --verify_fatal=1 --verify_state_save=0 --size=8m --output-format=terse";
    Command.sh(common + " --name=mixed --numjobs=3 --rw=randrw --bsrange=512-256k --ioengine=psync");
    Command.sh(common + " --name=direct --rw=randwrite --bs=4k --ioengine=libaio --iodepth=16 --direct=1");
    Command.sh(common + " --name=mapped --rw=randwrite --bs=4k --ioengine=mmap");
    Command.sh(common + " --name=large --rw=write --bs=1m --ioengine=psync --fsync=4");
    mounted.assertQuiet();
  }

  @Test
  void shouldCountRightWhenProcessesExcludeEachOtherByFlock() throws Exception {
    Needs.program("flock", "util-linux");
    mount(CacheMode.NONE);
    Command.sh("cd " + mounted.path() + " && echo 0 > n && for p in 1 2 3 4; do (for i in 1 2 3 4 5 6 7 8 9 10; do flock lock sh -c"
        + " 'read v < n; echo $((v + 1)) > n'; done) & done; wait; test $(cat n) = 40");
    mounted.assertQuiet();
  }

  @Test
  void shouldSayThatItIsFullAndLoseNothingElse() throws Exception {
    mount(CacheMode.METADATA);
    Command.sh("cd " + mounted.path() + " && echo kept > kept && !"
        + " dd if=/dev/zero of=large bs=1M count=600 2> said; grep -q 'No space left' said || ! test -s said");
    assertEquals("kept\n", Command.run("cat", mounted.path("kept")));
    assertEquals("100%", Command.sh("df --output=pcent " + mounted.path() + " | tail -1").strip());
    Command.sh("rm " + mounted.path("large") + " && dd if=/dev/zero of=" + mounted.path("again") + " bs=1M count=100");
    mounted.assertQuiet();
    assertTrue(memory.inodeCount() > 1);
  }
}
