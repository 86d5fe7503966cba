package dev.weft.pvfs.client;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.Striping;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** A JVM with a daemon on a directory and a client that writes, says after each write that it is acknowledged, and goes on until it is killed. */
final class WritingProcess implements AutoCloseable {
  static final Striping STRIPING = new Striping(0, 1, 65_536, 1);
  static final int OBJECTS = 3;
  static final int OBJECT_BYTES = 600_000;

  /** The write with a number. */
  record Write(long object, int offset, byte[] data) {
    static Write of(long number) {
      Random random = new Random(number);
      byte[] data = new byte[1 + random.nextInt(random.nextBoolean() ? 3_000 : 200_000)];
      int offset = random.nextInt(OBJECT_BYTES - data.length);
      random.nextBytes(data);
      return new Write(1 + random.nextInt(OBJECTS), offset, data);
    }

    MemorySegment memory() {
      MemorySegment memory = Arena.ofAuto().allocate(data.length);
      MemorySegment.copy(data, 0, memory, ValueLayout.JAVA_BYTE, 0, data.length);
      return memory;
    }
  }

  private final Process process;
  private final BufferedReader output;
  private long acknowledged;

  private WritingProcess(Process process) {
    this.process = process;
    output = new BufferedReader(new InputStreamReader(process.getInputStream()));
  }

  static WritingProcess start(Path directory) throws IOException {
    return new WritingProcess(new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
        "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
        "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow", "-XX:MaxDirectMemorySize=256m", "-cp",
        System.getProperty("java.class.path"), WritingProcess.class.getName(), directory.toString())).redirectErrorStream(true).start());
  }

  long pid() {
    return process.pid();
  }

  void awaitWrites(long writes) throws IOException {
    while (acknowledged < writes && readLine()) {
      continue;
    }
  }

  private boolean readLine() throws IOException {
    String line = output.readLine();
    if (line != null && line.startsWith("acknowledged ")) {
      acknowledged = Long.parseLong(line.substring("acknowledged ".length()));
    } else if (line != null) {
      System.out.println("the process that writes: " + line);
    }
    return line != null;
  }

  /** Kills it with SIGKILL; returns the last write that it acknowledged. */
  long kill() throws IOException, InterruptedException {
    process.toHandle().destroyForcibly();
    process.waitFor();
    while (readLine()) {
      continue;
    }
    return acknowledged;
  }

  public static void main(String[] args) {
    StripedCluster cluster = new StripedCluster(1, settings(Path.of(args[0])));
    DataClient client = cluster.client(null);
    for (long number = 1; ; number++) {
      Write write = Write.of(number);
      int errno = client.write(write.object(), STRIPING, write.offset(), write.memory()).errno();
      if (errno == Errno.OK && number % 20 == 0) {
        errno = client.sync(write.object(), STRIPING).errno();
      }
      if (errno != Errno.OK) {
        System.out.println("write " + number + " ended with " + Errno.name(errno));
        System.exit(1);
      }
      System.out.println("acknowledged " + number);
    }
  }

  static String settings(Path directory) {
    return "weft.pvfs.daemon.directory = \"" + directory + "\"\nweft.pvfs.daemon { zones = 12 MiB, reserve = 0 }\n";
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
