package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
import dev.weft.service.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code weft up --pvfs} with daemons in two other JVMs: the commands, and a mount that programs use which nobody here wrote. */
@Tag("jvms")
@Timeout(900)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FileSystemInUpTest {
  private static final int PROGRAM_S = 300;
  private static final Pattern TCP = Pattern.compile("Clients outside of the fabric: (127\\.0\\.0\\.1:[0-9]+) ");

  @TempDir private static Path directory;
  private WeftProcess fabric;
  private String tcp;

  @BeforeAll
  void start() throws Exception {
    fabric = new WeftProcess();
    tcp = up(fabric);
  }

  @AfterAll
  void stop() throws Exception {
    try {
      done(fabric, "pvfs", "down");
      assertTrue(!fabric.logs().contains("ERROR"), fabric.logs());
    } finally {
      fabric.close();
    }
  }

  private static WeftProcess.Answer done(WeftProcess weft, String... words) throws Exception {
    WeftProcess.Answer answer = weft.run(words);
    assertEquals(ExitCode.OK, answer.exitCode(), () -> String.join(" ", words) + ": " + answer.err() + logs(weft));
    return answer;
  }

  private static String logs(WeftProcess weft) {
    try {
      return weft.logs();
    } catch (IOException unreadable) {
      return unreadable.toString();
    }
  }

  /** Where it listens for clients outside of the fabric. */
  private String up(WeftProcess weft) throws Exception {
    WeftProcess.Answer up = done(weft, "pvfs", "up", "--daemons=3", "--jvms=3", "--servers=2", "--memory=8M", "--nbd=unix:" + directory.resolve("nbd"),
        "--http=127.0.0.1:0", "--pvfs-memory=48M", "--pvfs-tcp=127.0.0.1:0", "--detach");
    assertTrue(up.out().contains("Parallel file system in the memory of pvfs-io-0, pvfs-io-1, pvfs-io-2, manager at pvfs-manager"), up.out());
    Matcher tcp = TCP.matcher(up.out());
    assertTrue(tcp.find(), up.out());
    return tcp.group(1);
  }

  private Path file(String name, int bytes) throws IOException {
    byte[] data = new byte[bytes];
    new Random(bytes).nextBytes(data);
    return Files.write(directory.resolve(name), data);
  }

  /** Directories of daemons without one of a manager are refused the next time: a setting that is wrong must leave none. */
  @Test
  void shouldMakeNothingInItsDirectoryWhereASettingIsWrong() throws Exception {
    Path kept = directory.resolve("kept");
    for (String wrong : new String[] {"-Dweft.pvfs.manager.context=isr", "-Dweft.pvfs.manager.store.reserve=1", "-Dweft.pvfs.client.credits=0"}) {
      try (WeftProcess weft = new WeftProcess(List.of(), wrong)) {
        WeftProcess.Answer refused = weft.run("up", "--pvfs=2", "--pvfs-dir=" + kept, "--servers=1", "--memory=8M", "--nbd=unix:" + directory.resolve("n"),
            "--http=127.0.0.1:0", "--detach");
        assertEquals(ExitCode.FAILURE, refused.exitCode(), wrong);
        assertTrue(refused.err().contains(wrong.substring(2, wrong.indexOf('='))), refused.err());
      }
      assertTrue(Files.notExists(kept), wrong);
    }
  }

  /** The first: it looks at all that there is. */
  @Test
  @Order(1)
  void shouldCopyFilesInAndOutOverTheDaemonsOfOtherJvms() throws Exception {
    WeftProcess weft = fabric;
    Path in = file("in", 5_000_001);
    done(weft, "pvfs", "mkdir", "/d");
    done(weft, "pvfs", "cp", "--stripe=100000", in.toString(), "pvfs:/d/f");
    Path out = directory.resolve("out");
    done(weft, "pvfs", "cp", "pvfs:/d/f", out.toString());
    assertArrayEquals(Files.readAllBytes(in), Files.readAllBytes(out));
    assertTrue(done(weft, "pvfs", "ls", "-l", "/d").out().contains("5000001  f"));
    String distribution = done(weft, "pvfs", "viewdist", "/d/f").out();
    assertTrue(distribution.contains("5000001 bytes, base = 0, pcount = 3, ssize = 100000"), distribution);
    assertTrue(distribution.contains("(pvfs-io-2): 1600001 bytes"), distribution);
    done(weft, "pvfs", "ln", "/d/f", "/g");
    done(weft, "pvfs", "mv", "/g", "/h");
    assertTrue(done(weft, "pvfs", "stat", "/h").out().contains("2 links, 5000001 bytes"));
    fromOutside(weft, tcp, in);
    String said = program(weft, "/h", "/by-a-program");
    assertTrue(said.contains("5000001 bytes") && said.contains("pvfs://up/by-a-program in stripes of "), said);
    assertTrue(done(weft, "pvfs", "stat", "/by-a-program").out().contains("18 bytes"), "what it made is there");
    done(weft, "pvfs", "rm", "/by-a-program");
    WeftProcess.Answer full = weft.run("pvfs", "rm", "/d");
    assertEquals(ExitCode.FAILURE, full.exitCode());
    assertTrue(full.err().contains("/d: directory not empty (ENOTEMPTY)"), full.err());
    WeftProcess.Answer wide = weft.run("pvfs", "cp", "--count=9", in.toString(), "pvfs:/wide");
    assertTrue(wide.err().contains("create /wide: count is 9, must be from 1 to 3: invalid (EINVAL)"), wide.err());
    WeftProcess.Answer missing = weft.run("pvfs", "cp", "/no/such/file", "pvfs:/x");
    assertTrue(missing.err().contains("/no/such/file: no such file on this host"), missing.err());
    WeftProcess.Answer nowhere = weft.run("pvfs", "mount", in.toString());
    assertEquals(ExitCode.FAILURE, nowhere.exitCode());
    assertTrue(nowhere.err().contains(in + " is no directory that can be mounted on") && !nowhere.err().contains("\tat "), nowhere.err());
    look(weft);
    done(weft, "pvfs", "rm", "/h");
    done(weft, "pvfs", "rm", "/d/f");
    assertEquals("d", done(weft, "pvfs", "ls").out().strip());
    WeftProcess.Answer tooMuch = weft.run("pvfs", "cp", file("large", 160 << 20).toString(), "pvfs:/large");
    assertEquals(ExitCode.FAILURE, tooMuch.exitCode());
    assertTrue(tooMuch.err().contains("no room left at an I/O daemon (ENOSPC)"), tooMuch.err());
    weft.run("pvfs", "rm", "/large"); // If it was made.
  }

  /** Over TCP: a process that is of no fabric, daemons in two JVMs that listen for themselves. The file /h is there. */
  private void fromOutside(WeftProcess weft, String tcp, Path in) throws Exception {
    assertTrue(done(weft, "pvfs", "stat", "--tcp=" + tcp, "/h").out().contains("2 links, 5000001 bytes"));
    done(weft, "pvfs", "cp", "--tcp=" + tcp, in.toString(), "pvfs:/from-outside");
    Path out = directory.resolve("out-over-tcp");
    done(weft, "pvfs", "cp", "pvfs:/from-outside", out.toString());
    assertArrayEquals(Files.readAllBytes(in), Files.readAllBytes(out));
    done(weft, "pvfs", "rm", "--tcp=" + tcp, "/from-outside");
    String wrong = Files.writeString(directory.resolve("wrong"), "0123456789abcdef0123456789abcdef\n").toString();
    Files.setPosixFilePermissions(Path.of(wrong), PosixFilePermissions.fromString("rw-------"));
    WeftProcess.Answer refused = weft.run("pvfs", "ls", "--tcp=" + tcp, "--secret-file=" + wrong);
    assertEquals(ExitCode.FAILURE, refused.exitCode());
    assertTrue(refused.err().contains("does not take the secret"), refused.err());
  }

  /** With 5,000,001 bytes in one file, on three daemons. */
  private static void look(WeftProcess weft) throws Exception {
    Waits.seenSeldom("the answers of all daemons", () -> done(weft, "pvfs", "ping").out(), ping -> ping.lines()
        .filter(line -> line.matches("pvfs-(io-[012] +I/O daemon|manager +manager) +\\d+ us +\\d+ us")).count() == 4);
    String room = done(weft, "pvfs", "statfs").out();
    assertTrue(room.lines().anyMatch(line -> line.matches("all +144 MiB +[45]\\.\\d MiB +139 MiB +9\\d")), room);
    String small = done(weft, "pvfs", "bench", "small", "--iterations=1", "--to=256", "--json").out();
    assertTrue(small.contains("\"what\":\"read\",\"bytes\":256,\"inlineUs\":"), small);
    assertEquals(ExitCode.USAGE, weft.run("pvfs", "bench", "nothing").exitCode());
    Waits.seenSeldom("all daemons in top, without a problem", () -> done(weft, "pvfs", "top", "--once", "--interval=0.2", "--json").out(), top ->
        top.contains("\"node\":\"pvfs-io-2\"") && top.contains("\"name\":\"commands\"") && top.contains("\"problems\":[]"));
  }

  /** What {@link NioProgram} says, in a JVM of its own. */
  private String program(WeftProcess weft, String... arguments) throws Exception {
    ProcessBuilder builder = weft.builder(arguments);
    builder.command().replaceAll(word -> word.equals("dev.weft.launcher.Main") ? NioProgram.class.getName() : word);
    Path said = directory.resolve("program.out");
    Process program = builder.redirectErrorStream(true).redirectOutput(said.toFile()).start();
    boolean ended = program.waitFor(PROGRAM_S, TimeUnit.SECONDS);
    program.destroyForcibly();
    assertTrue(ended && program.exitValue() == 0, Files.readString(said) + logs(weft));
    return Files.readString(said);
  }

  /** A shell's command; its output, and that it ended well. */
  private String shell(String command) throws Exception {
    Path said = Files.createTempFile(directory, "shell", ".out");
    Process shell = new ProcessBuilder("bash", "-ec", command).directory(directory.toFile()).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    boolean ended = shell.waitFor(PROGRAM_S, TimeUnit.SECONDS);
    shell.destroyForcibly();
    String out = Files.readString(said);
    assertTrue(ended && shell.exitValue() == 0, command + ": " + (ended ? "exit code " + shell.exitValue() : "did not end") + "\n" + out);
    return out;
  }

  @Test
  @Order(2)
  void shouldBeADirectoryForAnyProgram() throws Exception {
    MountProcess.need();
    WeftProcess weft = fabric;
    try (MountProcess mount = MountProcess.start(weft, directory.resolve("mnt"))) {
      file("a", 3_000_000);
      shell("cp a mnt/a; cmp a mnt/a; mkdir -p mnt/x/y; mv mnt/a mnt/x/y/b; ln mnt/x/y/b mnt/c; ln -s x/y/b mnt/s; cmp a mnt/s");
      shell("test $(stat -c %h mnt/c) = 2; rm mnt/x/y/b; cmp a mnt/c; truncate -s 1000 mnt/c; test $(stat -c %s mnt/c) = 1000; cmp -n 1000 a mnt/c");
      shell("dd if=a of=mnt/sparse bs=1000 seek=100 count=3 status=none; test $(stat -c %s mnt/sparse) = 103000; cmp -n 3000 a <(tail -c 3000 mnt/sparse)");
      shell("touch -d @1000000 a; cp -p a mnt/old; test $(stat -c %Y mnt/old) = 1000000; fallocate -l 500 mnt/old; test $(stat -c %s mnt/old) = 3000000");
      shell("python3 -c \"import sqlite3; c = sqlite3.connect('mnt/db'); c.execute('create table t(a)'); "
          + "c.executemany('insert into t values(?)', [(i,) for i in range(1000)]); c.commit(); "
          + "assert c.execute('select sum(a) from t').fetchone()[0] == 499500\"");
      shell("if command -v fio; then fio --directory=mnt --name=v --rw=randrw --bs=4k-96k --size=6m --numjobs=2 --verify=crc32c --verify_state_save=0"
          + " --verify_fatal=1 --output-format=terse; fi");
      assertTrue(done(weft, "pvfs", "ls").out().lines().anyMatch("sparse"::equals), "what the mount made is there for others");
      Waits.seenSeldom("the mount in top", () -> done(weft, "pvfs", "top", "--once", "--interval=0.2").out(), top -> top.lines()
          .anyMatch(line -> line.matches("mount \\d+ +pvfs-io-1 +\\d+ +0 +0 +.*server.*")));
      mount.unmount();
    }
  }
}
