package dev.weft.fabric.seeds;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A name of the sources under test, by which two versions differ. */
public final class SourceVersion {
  private static final int DIGITS = 12;
  private static final int GIT_PATIENCE_S = 20;

  private SourceVersion() {}

  /** The commit of a clean checkout at {@code root}; where there is none, or something was changed since, a hash of the sources. */
  public static String of(Path root) throws IOException, InterruptedException {
    String commit = cleanCommit(root);
    return commit == null ? "sources-" + hashOfSources(root) : commit.substring(0, DIGITS);
  }

  /** Null if {@code root} is not the top of a checkout, differs from its commit, or git cannot be asked. */
  private static String cleanCommit(Path root) throws IOException, InterruptedException {
    String top = git(root, "rev-parse", "--show-toplevel");
    if (top == null || !Path.of(top).toRealPath().equals(root.toRealPath())) {
      return null;
    }
    String head = git(root, "rev-parse", "--verify", "HEAD");
    String changes = git(root, "status", "--porcelain");
    return head != null && head.length() > DIGITS && "".equals(changes) ? head : null;
  }

  /** What git prints; null if it fails, or is not there. */
  private static String git(Path root, String... arguments) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(Stream.concat(Stream.of("git"), Stream.of(arguments)).toList())
        .directory(root.toFile()).redirectError(ProcessBuilder.Redirect.DISCARD);
    // Of a hook or an alias that runs the tests, which names another repository.
    builder.environment().keySet().removeIf(name -> name.startsWith("GIT_"));
    Process git;
    try {
      git = builder.start();
    } catch (IOException notThere) {
      return null;
    }
    try (var out = git.getInputStream()) {
      String text = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
      return git.waitFor(GIT_PATIENCE_S, TimeUnit.SECONDS) && git.exitValue() == 0 ? text : null;
    } finally {
      git.destroyForcibly();
    }
  }

  /** Of the build files and of everything below a folder {@code src}, by name and content. */
  static String hashOfSources(Path root) throws IOException {
    List<Path> files;
    try (Stream<Path> found = Files.walk(root)) {
      files = found.filter(Files::isRegularFile).map(root::relativize).filter(SourceVersion::isSource).sorted().toList();
    }
    MessageDigest digest = sha256();
    for (Path file : files) {
      byte[] content = Files.readAllBytes(root.resolve(file));
      digest.update((file + "\n" + content.length + "\n").getBytes(StandardCharsets.UTF_8));
      digest.update(content);
    }
    return HexFormat.of().formatHex(digest.digest()).substring(0, DIGITS);
  }

  private static boolean isSource(Path file) {
    boolean isBelowSrc = false;
    for (Path part : file) {
      String name = part.toString();
      if (name.equals("target") || name.startsWith(".")) {
        return false;
      }
      isBelowSrc |= name.equals("src");
    }
    return isBelowSrc || file.getFileName().toString().equals("pom.xml");
  }

  /** Sixty-four bits of a text, each of which depends on all of it. */
  static long hash(String text) {
    return ByteBuffer.wrap(sha256().digest(text.getBytes(StandardCharsets.UTF_8))).getLong();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each Java platform has SHA-256", e);
    }
  }
}
