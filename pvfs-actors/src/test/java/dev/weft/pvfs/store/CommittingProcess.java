package dev.weft.pvfs.store;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** A JVM that commits synced batches to a store, says after each that it is acknowledged, and goes on until it is killed. */
final class CommittingProcess implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;
  private long acknowledged;

  private CommittingProcess(Process process) {
    this.process = process;
    output = new BufferedReader(new InputStreamReader(process.getInputStream()));
  }

  static CommittingProcess start(Path directory) throws IOException {
    return new CommittingProcess(new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m",
        "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
        CommittingProcess.class.getName(), directory.toString())).redirectErrorStream(true).start());
  }

  long pid() {
    return process.pid();
  }

  /** Reads until so many batches were acknowledged. */
  void awaitCommits(long batches) throws IOException {
    while (acknowledged < batches && readLine()) {
      continue;
    }
  }

  private boolean readLine() throws IOException {
    String line = output.readLine();
    if (line == null) {
      return false;
    }
    if (!line.startsWith("acknowledged ")) {
      throw new IOException("the process that commits said: " + line);
    }
    acknowledged = Long.parseLong(line.substring("acknowledged ".length()));
    return true;
  }

  /** Kills it with SIGKILL; returns the last batch that it acknowledged. */
  long kill() throws IOException, InterruptedException {
    process.toHandle().destroyForcibly(); // Unlike the same of the process, it leaves us what was said before.
    process.waitFor();
    while (readLine()) {
      continue;
    }
    return acknowledged;
  }

  static byte[] key(char which, long number) {
    return ByteBuffer.allocate(9).put((byte) which).putLong(number).array();
  }

  public static void main(String[] args) {
    MetadataStore store = RocksStore.open(Path.of(args[0]), RocksStoreTest.SMALL);
    PrintStream out = System.out;
    for (long number = 1; ; number++) {
      byte[] value = ByteBuffer.allocate(8).putLong(number).array();
      Batch batch = new Batch();
      batch.put(key('a', number), value);
      batch.put("last".getBytes(StandardCharsets.US_ASCII), value);
      batch.put(key('b', number), new byte[(int) (number % 3000)]);
      store.commit(batch, true);
      out.println("acknowledged " + number);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
