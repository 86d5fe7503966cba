package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weft.fabric.rules.Needs;
import dev.weft.fabric.rules.Waits;
import dev.weft.service.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * PostgreSQL on a mount of a file system in a directory. The JVM with an I/O daemon is killed under its load, and started again; then PostgreSQL is killed,
 * too. {@code -Dweft.pvfs.judges=N} runs N times as long.
 */
@Tag("client")
@Timeout(900)
class PostgresOnMountTest {
  private static final int PROGRAM_S = 300;
  private static final int SECONDS = 5 * Integer.getInteger("weft.pvfs.judges", 1);
  private static final Path INSTALLED = Path.of("/usr/lib/postgresql");
  private static final List<String> PROGRAMS = List.of("initdb", "pg_ctl", "pgbench", "psql", "pg_amcheck", "pg_checksums");
  private static final String SUMS = "select (select sum(abalance) from pgbench_accounts), (select sum(bbalance) from pgbench_branches),"
      + " (select sum(tbalance) from pgbench_tellers), (select sum(delta) from pgbench_history), (select count(*) > 0 from pgbench_history)";

  private Path programs;
  private Path directory;
  private WeftProcess weft;
  private Process mount;
  private Process member;

  @BeforeEach
  void prepare() throws Exception {
    assumeTrue(Files.exists(Path.of("/dev/fuse")) && "root".equals(System.getProperty("user.name")), "needs /dev/fuse and root");
    programs = programs();
    Needs.that(programs != null, "PostgreSQL is missing, " + PROGRAMS + " below " + INSTALLED + "; install it (Debian: apt-get install postgresql)");
    Needs.program("setpriv", "util-linux");
    // Others than root come by here. In memory, where there is some: what is killed here loses nothing that the kernel has.
    Path memory = Path.of("/dev/shm");
    directory = Files.isDirectory(memory) ? Files.createTempDirectory(memory, "weft-postgres-") : Files.createTempDirectory("weft-postgres-");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    weft = new WeftProcess(List.of(), "-Dweft.pvfs.client.patience=2m"); // As long as a JVM may need to start on a busy machine.
  }

  private static Path programs() throws IOException {
    if (!Files.isDirectory(INSTALLED)) {
      return null;
    }
    try (Stream<Path> versions = Files.list(INSTALLED)) {
      return versions.map(version -> version.resolve("bin")).filter(bin -> PROGRAMS.stream().allMatch(name -> Files.isExecutable(bin.resolve(name))))
          .max(Comparator.naturalOrder()).orElse(null);
    }
  }

  @AfterEach
  void end() throws Exception {
    if (directory == null) {
      return;
    }
    try {
      new ProcessBuilder("bash", "-c", "test ! -e mnt/db/postmaster.pid || kill -9 $(head -1 mnt/db/postmaster.pid); umount -l mnt")
          .directory(directory.toFile()).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor(20, TimeUnit.SECONDS);
      for (Process process : new Process[] {mount, member}) {
        if (process != null) {
          process.destroy();
          process.waitFor(20, TimeUnit.SECONDS);
          process.destroyForcibly();
        }
      }
      weft.close();
    } finally {
      try (Stream<Path> files = Files.walk(directory)) {
        files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    }
  }

  /** A shell's command; its output, and that it ended well. */
  private String shell(String command) throws Exception {
    Path said = Files.createTempFile(directory, "said", ".txt");
    Process shell = begin(command, said);
    boolean ended = shell.waitFor(PROGRAM_S, TimeUnit.SECONDS);
    shell.destroyForcibly();
    String out = Files.readString(said);
    assertTrue(ended && shell.exitValue() == 0, () -> command + ": " + (ended ? "exit code " + shell.exitValue() : "did not end") + "\n" + out + logs());
    return out;
  }

  /** With {@code $as} before what PostgreSQL's user does. */
  private Process begin(String command, Path said) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("bash", "-ec", command).directory(directory.toFile()).redirectErrorStream(true);
    builder.environment().put("as", "setpriv --reuid=postgres --regid=postgres --init-groups env -i PATH=" + programs + ":/usr/bin:/bin LC_ALL=C HOME=/tmp");
    builder.environment().put("DB", directory.resolve("mnt/db").toString());
    builder.environment().put("RUN", directory.resolve("run").toString());
    return builder.redirectInput(Path.of("/dev/null").toFile()).redirectOutput(said.toFile()).start();
  }

  private String logs() {
    try {
      Path log = directory.resolve("run/log");
      return "\n" + (Files.exists(log) ? Files.readString(log) : "") + weft.logs();
    } catch (IOException unreadable) {
      return unreadable.toString();
    }
  }

  private void up() throws Exception {
    WeftProcess.Answer up = weft.run("up", "--pvfs=2", "--pvfs-dir=" + directory.resolve("fs"), "--jvms=3", "--servers=2", "--memory=8M",
        "--nbd=unix:" + directory.resolve("nbd"), "--http=127.0.0.1:0", "--detach");
    assertEquals(ExitCode.OK, up.exitCode(), () -> up.err() + logs());
    Path mountPoint = Files.createDirectory(directory.resolve("mnt"));
    mount = weft.start("pvfs", "mount", "--allow-other", mountPoint.toString());
    Waits.until("the mount", () -> {
      assertTrue(mount.isAlive(), () -> "the mount's process has ended" + logs());
      return Files.readString(Path.of("/proc/self/mounts")).contains(" " + mountPoint.toRealPath() + " ");
    }, this::logs);
  }

  /** Kills the JVM with an I/O daemon, and starts it again as it was started. */
  private void killDaemon() throws Exception {
    ProcessHandle killed = weft.memberWithArgument("--pvfs-node=pvfs-io-0");
    ProcessBuilder again = weft.builder();
    again.command(List.of(Files.readString(Path.of("/proc", Long.toString(killed.pid()), "cmdline")).split("\0")));
    killed.destroyForcibly();
    Waits.until("the JVM to be gone", () -> !killed.isAlive());
    member = again.redirectErrorStream(true).redirectOutput(weft.stateDirectory().resolve("again.log").toFile()).start();
  }

  private void assertSums() throws Exception {
    String[] sums = shell("$as psql -h $RUN -Atc '" + SUMS + "' postgres").strip().split("\\|");
    assertEquals(List.of(sums[0], sums[0], sums[0], sums[0], "t"), List.of(sums), "each transaction adds the same everywhere");
  }

  @Test
  void shouldSurviveADaemonThatIsKilledUnderLoadAndThenItsOwnEnd() throws Exception {
    up();
    shell("mkdir mnt/db run; chown postgres:postgres mnt/db run; chmod 700 mnt/db; $as initdb -k -N -A trust -D $DB");
    shell("printf \"listen_addresses=''\\nunix_socket_directories='$RUN'\\nfsync=on\\nshared_buffers=8MB\\nmax_connections=20\\n\" >> $DB/postgresql.conf");
    shell("$as pg_ctl -D $DB -w -t 60 -l $RUN/log start; $as pgbench -h $RUN -q -i -s 1 postgres");
    Path said = directory.resolve("bench.txt");
    Process bench = begin("$as pgbench -h $RUN -c 4 -j 2 -P 1 -T " + SECONDS + " postgres", said);
    Waits.until("pgbench's first transactions", () -> {
      assertTrue(bench.isAlive(), () -> "pgbench has ended" + logs());
      return Files.readString(said).contains("progress: ");
    }, this::logs);
    killDaemon();
    Waits.until("pgbench to end", PROGRAM_S, () -> !bench.isAlive(), () -> Files.readString(said) + logs());
    String what = Files.readString(said);
    assertEquals(0, bench.exitValue(), () -> what + logs());
    assertTrue(what.contains("number of failed transactions: 0 "), what);
    assertTrue(member.isAlive(), this::logs);
    assertSums();
    shell("$as pg_ctl -D $DB -w -m immediate stop; $as pg_ctl -D $DB -w -t 60 -l $RUN/log start; grep 'database system was not properly shut down' $RUN/log");
    assertSums();
    shell("$as psql -h $RUN -qc 'create extension amcheck' postgres; $as pg_amcheck -h $RUN -d postgres; $as pg_ctl -D $DB -w -m fast stop");
    String checked = shell("$as pg_checksums --check -D $DB");
    assertTrue(checked.lines().anyMatch(line -> line.matches("Bad checksums: +0")), checked);
    WeftProcess.Answer found = weft.run("pvfs", "fsck");
    assertEquals(ExitCode.OK, found.exitCode(), () -> found.out() + found.err());
  }
}
