package dev.weft.pager.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * Real NBD clients against any server: each method runs one judge against an NBD URI and fails with what it said. A tool that
 * is missing skips the test, or fails it where CI=true.
 */
public final class NbdClients {
  private static final int TOOL_TIMEOUT_S = 300;
  private final String uri;
  private final Path directory;

  /** @param directory where images are made; the caller removes it */
  public NbdClients(String uri, Path directory) {
    this.uri = uri;
    this.directory = directory;
  }

  /** nbdinfo prints the size, the list and the map. */
  public void inspect(long sizeBytes) throws Exception {
    need("nbdinfo");
    assertTrue(run("nbdinfo", "--json", uri).contains("\"export-size\": " + sizeBytes), "size in nbdinfo --json");
    assertTrue(run("nbdinfo", "--list", uri).contains("export="), "nbdinfo --list");
    assertTrue(run("nbdinfo", "--map", uri).contains("0"), "nbdinfo --map");
  }

  /** A file system made of {@code tree} goes in with nbdcopy and comes out the same. */
  public void copyFileSystem(Path tree, int imageBytes) throws Exception {
    need("nbdcopy");
    Path image = fileSystem(tree, imageBytes);
    run("nbdcopy", "--flush", image.toString(), uri);
    Path back = directory.resolve("back.img");
    run("nbdcopy", uri, back.toString());
    assertEquals(sha256(image, imageBytes), sha256(back, imageBytes));
    run("/usr/sbin/e2fsck", "-fn", back.toString());
  }

  /** qemu-img writes an image, compares it, and describes it. */
  public void qemuImage(int imageBytes) throws Exception {
    need("qemu-img");
    Path image = directory.resolve("qemu.img");
    byte[] data = new byte[imageBytes];
    new Random(imageBytes).nextBytes(data);
    java.util.Arrays.fill(data, imageBytes / 4, imageBytes / 2, (byte) 0);
    Files.write(image, data);
    run("qemu-img", "convert", "-n", "-f", "raw", "-O", "raw", image.toString(), uri);
    run("qemu-img", "compare", "-f", "raw", "-F", "raw", image.toString(), uri);
    assertTrue(run("qemu-img", "info", uri).contains("virtual size"), "qemu-img info");
    Path qcow = directory.resolve("out.qcow2");
    run("qemu-img", "convert", "-f", "raw", "-O", "qcow2", uri, qcow.toString());
    run("qemu-img", "check", qcow.toString());
  }

  /** qemu-io writes patterns at aligned and odd places, zeroes, discards and reads them back. */
  public void qemuIo() throws Exception {
    need("qemu-io");
    String out = run("qemu-io", "-f", "raw", "-c", "write -P 0x5a 0 64k", "-c", "write -P 0xa5 4097 333", "-c", "write -z 8k 4k",
        "-c", "flush", "-c", "read -P 0x5a 0 4097", "-c", "read -P 0xa5 4097 333", "-c", "read -P 0 8k 4k",
        "-c", "discard 32k 8k", "-c", "write -f -P 0x33 1M 300k", "-c", "read -P 0x33 1M 300k", uri);
    assertTrue(!out.contains("failed") && !out.contains("error"), out);
  }

  /** qemu-io with TLS and the client certificate of a directory. */
  public void qemuIoOverTls(Path certificates) throws Exception {
    need("qemu-io");
    java.net.URI address = java.net.URI.create(uri);
    String out = run("qemu-io", "--object", "tls-creds-x509,id=t,endpoint=client,dir=" + certificates, "-c", "write -P 0x5a 0 1M",
        "-c", "write -P 0xa5 4097 333", "-c", "flush", "-c", "read -P 0x5a 0 4097", "-c", "read -P 0xa5 4097 333", "-c",
        "read -P 0x5a 8k 1000k", "--image-opts",
        "driver=nbd,server.type=inet,server.host=" + address.getHost() + ",server.port=" + address.getPort() + ",tls-creds=t");
    assertTrue(!out.contains("failed") && !out.contains("error"), out);
  }

  /** qemu-img makes a qcow2 image on the device itself; qemu-io writes and reads in it; qemu-img finds it consistent. At least 16 MiB. */
  public void qemuCreate() throws Exception {
    need("qemu-img");
    need("qemu-io");
    run("qemu-img", "create", "-f", "qcow2", uri, "8M");
    String wrote = run("qemu-io", "-f", "qcow2", "-c", "write -P 0x11 0 1M", "-c", "write -P 0x22 3000001 70001", "-c", "write -z 64k 64k",
        "-c", "discard 512k 128k", "-c", "flush", uri);
    String read = run("qemu-io", "-f", "qcow2", "-c", "read -P 0x11 0 64k", "-c", "read -P 0 64k 64k", "-c", "read -P 0x11 128k 384k",
        "-c", "read -P 0 512k 128k", "-c", "read -P 0x22 3000001 70001", "-c", "read -P 0 4M 1M", uri);
    for (String out : List.of(wrote, read)) {
      assertTrue(!out.contains("failed") && !out.contains("error"), out);
    }
    assertTrue(run("qemu-img", "check", "-f", "qcow2", uri).contains("No errors"), "qemu-img check");
    assertTrue(run("qemu-img", "info", "-f", "qcow2", uri).contains("8 MiB"), "qemu-img info");
  }

  /** fio writes and verifies checksums. */
  public void fioVerify(int sizeBytes, int blockBytes, int depth) throws Exception {
    need("fio");
    run("fio", "--name=verify", "--ioengine=nbd", "--uri=" + uri, "--rw=randwrite", "--bs=" + blockBytes, "--iodepth=" + depth,
        "--size=" + sizeBytes, "--verify=crc32c", "--verify_fatal=1", "--randseed=11");
  }

  /** nbdfuse shows the device as a file; bytes written to it are read back. */
  public void fuse() throws Exception {
    need("nbdfuse");
    Assumptions.assumeTrue(Files.readAllLines(Path.of("/proc/filesystems")).stream().anyMatch(line -> line.endsWith("\tfuse")),
        "this kernel has no FUSE, or its module is not loaded");
    if (!Files.isWritable(Path.of("/dev/fuse"))) {
      missing("/dev/fuse is absent or not ours to open; run the tests as root, with the device");
    }
    Path mount = Files.createDirectories(directory.resolve("fuse"));
    Process process = new ProcessBuilder("nbdfuse", mount.toString(), uri).redirectErrorStream(true)
        .redirectOutput(directory.resolve("nbdfuse.log").toFile()).start();
    try {
      Path file = mount.resolve("nbd");
      Waits.until("nbdfuse to mount", () -> {
        assertTrue(process.isAlive(), () -> "nbdfuse has ended with " + process.exitValue());
        return Files.exists(file);
      }, () -> Files.readString(directory.resolve("nbdfuse.log")));
      byte[] data = new byte[70_001];
      new Random(5).nextBytes(data);
      try (var channel = java.nio.channels.FileChannel.open(file, java.nio.file.StandardOpenOption.READ,
          java.nio.file.StandardOpenOption.WRITE)) {
        channel.write(java.nio.ByteBuffer.wrap(data), 8191);
        java.nio.ByteBuffer back = java.nio.ByteBuffer.allocate(data.length);
        while (back.hasRemaining() && channel.read(back, 8191 + back.position()) > 0) { }
        assertTrue(java.util.Arrays.equals(data, back.array()), "bytes through nbdfuse differ");
      }
    } finally {
      run("fusermount3", "-u", mount.toString());
      process.destroy();
      process.waitFor(90, TimeUnit.SECONDS);
    }
  }

  private Path fileSystem(Path tree, int imageBytes) throws Exception {
    Path image = directory.resolve("ext4.img");
    Path mkfs = Path.of("/usr/sbin/mkfs.ext4");
    if (!Files.isExecutable(mkfs)) {
      missing("mkfs.ext4 (package e2fsprogs)");
    }
    run(mkfs.toString(), "-q", "-F", "-d", tree.toString(), image.toString(), imageBytes / 1024 + "k");
    return image;
  }

  private static String sha256(Path file, long length) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    try (var in = Files.newInputStream(file)) {
      digest.update(in.readNBytes((int) length));
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Skips the test without this tool, or fails it where CI=true. */
  public static void need(String tool) {
    for (String folder : System.getenv("PATH").split(":")) {
      if (Files.isExecutable(Path.of(folder, tool))) {
        return;
      }
    }
    missing(tool + " is not installed; install libnbd-bin, qemu-utils, fio and e2fsprogs");
  }

  private static void missing(String message) {
    if ("true".equals(System.getenv("CI"))) {
      throw new AssertionError(message);
    }
    Assumptions.abort(message);
  }

  /** nbdinfo must fail, and say {@code why}. */
  public void refused(String why) throws Exception {
    need("nbdinfo");
    AssertionError failed = org.junit.jupiter.api.Assertions.assertThrows(AssertionError.class, () -> run("nbdinfo", "--size", uri));
    assertTrue(failed.getMessage().contains(why), failed::getMessage);
  }

  private String run(String... command) throws IOException, InterruptedException {
    Path log = Files.createTempFile(directory, "tool", ".log");
    List<String> words = new ArrayList<>(List.of(command));
    Process process = new ProcessBuilder(words).directory(directory.toFile()).redirectErrorStream(true).redirectOutput(log.toFile())
        .start();
    try {
      boolean ended = process.waitFor(TOOL_TIMEOUT_S, TimeUnit.SECONDS);
      String out = Files.readString(log);
      assertTrue(ended, () -> String.join(" ", command) + " did not end in " + TOOL_TIMEOUT_S + " s: " + out);
      assertEquals(0, process.exitValue(), () -> String.join(" ", command) + ": " + out);
      return out;
    } finally {
      process.destroyForcibly();
    }
  }
}
