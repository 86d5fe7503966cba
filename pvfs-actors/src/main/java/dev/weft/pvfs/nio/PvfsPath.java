package dev.weft.pvfs.nio;

import dev.weft.pvfs.files.PathNames;
import java.io.IOException;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/** A path with POSIX's rules: names between slashes; absolute if it begins with a slash. The empty path has one name, which is empty. Immutable. */
final class PvfsPath implements Path {
  private final PvfsNioFileSystem fileSystem;
  private final boolean isAbsolute;
  private final List<String> names;

  private PvfsPath(PvfsNioFileSystem fileSystem, boolean isAbsolute, List<String> names) {
    this.fileSystem = fileSystem;
    this.isAbsolute = isAbsolute;
    this.names = names.isEmpty() && !isAbsolute ? List.of("") : List.copyOf(names);
  }

  /** @throws InvalidPathException if the text has no form in bytes */
  static PvfsPath of(PvfsNioFileSystem fileSystem, String text) {
    try {
      PathNames.encode(text);
    } catch (IllegalArgumentException wrong) {
      throw new InvalidPathException(text, wrong.getMessage());
    }
    return new PvfsPath(fileSystem, text.startsWith("/"), Arrays.stream(text.split("/")).filter(name -> !name.isEmpty()).toList());
  }

  /** @throws ProviderMismatchException if the path is of another provider */
  static PvfsPath of(Path path) {
    if (Objects.requireNonNull(path, "a path") instanceof PvfsPath ours) {
      return ours;
    }
    throw new ProviderMismatchException(path + " is of the provider " + path.getFileSystem().provider().getScheme() + ", must be of "
        + PvfsFileSystemProvider.SCHEME);
  }

  private PvfsPath with(boolean absolute, List<String> others) {
    return new PvfsPath(fileSystem, absolute, others);
  }

  /** Returns the path for the native interface. */
  String text() {
    return toAbsolutePath().toString();
  }

  boolean isRoot() {
    return toAbsolutePath().normalize().names.isEmpty();
  }

  private boolean isEmpty() {
    return !isAbsolute && names.size() == 1 && names.getFirst().isEmpty();
  }

  @Override
  public PvfsNioFileSystem getFileSystem() {
    return fileSystem;
  }

  @Override
  public boolean isAbsolute() {
    return isAbsolute;
  }

  @Override
  public PvfsPath getRoot() {
    return isAbsolute ? with(true, List.of()) : null;
  }

  @Override
  public PvfsPath getFileName() {
    return names.isEmpty() ? null : with(false, List.of(names.getLast()));
  }

  @Override
  public PvfsPath getParent() {
    return names.isEmpty() || names.size() == 1 && !isAbsolute ? null : with(isAbsolute, names.subList(0, names.size() - 1));
  }

  @Override
  public int getNameCount() {
    return names.size();
  }

  @Override
  public PvfsPath getName(int index) {
    return subpath(index, index + 1);
  }

  @Override
  public PvfsPath subpath(int begin, int end) {
    if (begin < 0 || end > names.size() || begin >= end) {
      throw new IllegalArgumentException("names " + begin + " to " + end + " of " + this + ", which has " + names.size());
    }
    return with(false, names.subList(begin, end));
  }

  private boolean isOfSameSystem(Path other) {
    return Objects.requireNonNull(other, "a path") instanceof PvfsPath ours && ours.fileSystem == fileSystem;
  }

  @Override
  public boolean startsWith(Path other) {
    return isOfSameSystem(other) && other instanceof PvfsPath ours && ours.isAbsolute == isAbsolute && ours.names.size() <= names.size()
        && names.subList(0, ours.names.size()).equals(ours.names);
  }

  @Override
  public boolean endsWith(Path other) {
    if (!isOfSameSystem(other) || !(other instanceof PvfsPath ours) || ours.names.size() > names.size()) {
      return false;
    }
    return ours.isAbsolute ? equals(ours) : names.subList(names.size() - ours.names.size(), names.size()).equals(ours.names);
  }

  @Override
  public PvfsPath normalize() {
    List<String> kept = new ArrayList<>();
    for (String name : names) {
      boolean isUp = name.equals("..");
      if (isUp && !kept.isEmpty() && !kept.getLast().equals("..")) {
        kept.removeLast();
      } else if (!name.equals(".") && !(isUp && isAbsolute)) {
        kept.add(name);
      }
    }
    return with(isAbsolute, kept);
  }

  @Override
  public PvfsPath resolve(Path other) {
    PvfsPath ours = of(other);
    if (ours.isAbsolute || isEmpty()) {
      return ours;
    }
    if (ours.isEmpty()) {
      return this;
    }
    List<String> all = new ArrayList<>(names);
    all.addAll(ours.names);
    return with(isAbsolute, all);
  }

  @Override
  public PvfsPath resolve(String other) {
    return resolve(fileSystem.getPath(other));
  }

  @Override
  public PvfsPath relativize(Path other) {
    PvfsPath ours = of(other);
    if (ours.isAbsolute != isAbsolute) {
      throw new IllegalArgumentException("of " + this + " and " + other + " one is absolute and one is not, must be both or none");
    }
    if (isEmpty()) {
      return ours;
    }
    boolean hasDots = hasDots() || ours.hasDots();
    List<String> from = hasDots ? normalize().steps() : steps();
    List<String> to = hasDots ? ours.normalize().steps() : ours.steps();
    int common = 0;
    while (common < Math.min(from.size(), to.size()) && from.get(common).equals(to.get(common))) {
      common++;
    }
    List<String> up = from.subList(common, from.size());
    if (up.contains("..")) {
      throw new IllegalArgumentException("no relative path from " + this + " to " + other + ": what '..' leads to is not known");
    }
    List<String> all = new ArrayList<>(Collections.nCopies(up.size(), ".."));
    all.addAll(to.subList(common, to.size()));
    return with(false, all);
  }

  private boolean hasDots() {
    return names.contains(".") || names.contains("..");
  }

  /** Returns its names; none for the empty path. */
  private List<String> steps() {
    return isEmpty() ? List.of() : names;
  }

  @Override
  public URI toUri() {
    StringBuilder text = new StringBuilder();
    for (byte one : PathNames.encode(text())) {
      char c = (char) (one & 0xff);
      boolean isPlain = c < 0x80 && (Character.isLetterOrDigit(c) || "/-_.~!$&'()*+,;=:@".indexOf(c) >= 0);
      text.append(isPlain ? String.valueOf(c) : "%%%02X".formatted((int) c));
    }
    return URI.create(PvfsFileSystemProvider.SCHEME + "://" + fileSystem.name() + text);
  }

  @Override
  public PvfsPath toAbsolutePath() {
    return isAbsolute ? this : with(true, isEmpty() ? List.of() : names);
  }

  @Override
  public PvfsPath toRealPath(LinkOption... options) throws IOException {
    return RealPaths.of(this, !List.of(options).contains(LinkOption.NOFOLLOW_LINKS));
  }

  @Override
  public WatchKey register(WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) throws IOException {
    if (!(Objects.requireNonNull(watcher) instanceof PvfsWatchService ours)) {
      throw new ProviderMismatchException("a watch service of another provider, must be that of " + fileSystem);
    }
    return ours.register(this, events, modifiers);
  }

  @Override
  public int compareTo(Path other) {
    return toString().compareTo(((PvfsPath) other).toString());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PvfsPath ours && ours.fileSystem == fileSystem && ours.isAbsolute == isAbsolute && ours.names.equals(names);
  }

  @Override
  public int hashCode() {
    return names.hashCode() * 2 + (isAbsolute ? 1 : 0);
  }

  @Override
  public String toString() {
    return (isAbsolute ? "/" : "") + String.join("/", names);
  }
}
