package dev.weft.pvfs.service;

import dev.weft.fabric.files.ByteText;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.files.PathNames;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.wire.DirectoryPage;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.service.Asker;
import dev.weft.service.CommandFailure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Answers the requests of {@code weft pvfs} commands in the JVM that has the file system: words in, lines out. Any thread. */
final class Requests {
  /** Followed by a path, the {@link LocalIdentity} of the source, the striping, and the permissions of a new file in octal. */
  static final String PUT = "write";
  /** Followed by a path and the {@link LocalIdentity} of the target. The answer is the file's permissions in octal. */
  static final String GET = "read";
  private static final int STRIPES_SHOWN = 64;

  private final PvfsFileSystem files;
  private final Probes probes;
  private final Copies copies;

  /** For one command at a time. */
  Requests(PvfsFileSystem files, Probes probes) {
    this(files, probes, 1);
  }

  /** @param copiesMax copies at a time */
  Requests(PvfsFileSystem files, Probes probes, int copiesMax) {
    this.files = files;
    this.probes = probes;
    copies = new Copies(files, copiesMax);
  }

  /** Answers a request without data; rejects copies. */
  List<String> answer(List<String> words) {
    return answer(words, _ -> {});
  }

  /** @param asker brings or fetches the data of a command */
  List<String> answer(List<String> words, Asker asker) {
    try {
      return switch (words.getFirst()) {
        case "ls" -> list(words.get(1), words.get(2).equals("long"));
        case "stat" -> stat(words.get(1));
        case "viewdist" -> viewDistribution(words.get(1));
        case "mkdir" -> done(() -> files.mkdir(words.get(1), Integer.parseInt(words.get(2), 8)));
        case "rm" -> done(() -> remove(words.get(1)));
        case "mv" -> done(() -> files.rename(words.get(1), words.get(2)));
        case "ln" -> done(() -> files.link(words.get(1), words.get(2)));
        case "ln-s" -> done(() -> files.symlink(words.get(1), words.get(2)));
        case "setstripe" -> done(() -> files.setStriping(words.get(1), wish(words.subList(2, 5))));
        case "probe" -> probes.ask(Integer.parseInt(words.get(1)));
        case PUT -> done(() -> copies.put(asker.input(), words.get(1), wish(words.subList(3, 6)), Integer.parseInt(words.get(6), 8),
            LocalIdentity.parse(words.get(2))));
        case GET -> List.of(Integer.toOctalString(copies.get(words.get(1), asker.output(), LocalIdentity.parse(words.get(2)))));
        default -> throw new CommandFailure("the file system does not know the request " + words + "; use the same version of Weft as the fabric");
      };
    } catch (IOException failed) {
      throw new CommandFailure(failed.getMessage(), failed);
    } catch (IndexOutOfBoundsException | NumberFormatException wrong) {
      throw new CommandFailure("the file system does not understand the request " + words + "; use the same version of Weft as the fabric", wrong);
    } catch (IllegalArgumentException wrong) {
      throw new CommandFailure(wrong.getMessage(), wrong); // An invalid wish.
    }
  }

  private interface Action {
    void run() throws IOException;
  }

  private static List<String> done(Action action) throws IOException {
    action.run();
    return List.of();
  }

  static StripingWish wish(List<String> words) {
    return new StripingWish(Integer.parseInt(words.get(0)), orAny(Integer.parseInt(words.get(1))), orAny(Integer.parseInt(words.get(2))));
  }

  /** In a command, 0 leaves the value open. */
  private static int orAny(int value) {
    return value == 0 ? StripingWish.ANY : value;
  }

  private void remove(String path) throws IOException {
    if (files.attributes(path, false).isDirectory()) {
      files.rmdir(path);
    } else {
      files.unlink(path);
    }
  }

  private List<String> list(String path, boolean isLong) throws PvfsException {
    List<String> lines = new ArrayList<>();
    if (!files.attributes(path).isDirectory()) {
      lines.add(isLong ? line(files.attributes(path), ByteText.quoted(path), files.size(path)) : ByteText.quoted(path));
      return lines;
    }
    for (DirectoryPage.Entry entry : files.list(path)) {
      line(path, entry, isLong).ifPresent(lines::add);
    }
    lines.sort(String::compareTo);
    return lines;
  }

  /** Returns the line of a directory entry; nothing if its length is needed and it has gone meanwhile. */
  Optional<String> line(String directory, DirectoryPage.Entry entry, boolean isLong) throws PvfsException {
    String name = ByteText.quoted(PathNames.decode(entry.name()));
    if (!isLong) {
      return Optional.of(name);
    }
    try {
      long bytes = entry.isLengthOpen() ? files.size(directory + "/" + PathNames.decode(entry.name())) : entry.attributes().bytes();
      return Optional.of(line(entry.attributes(), name, bytes));
    } catch (PvfsException failed) {
      if (failed.errno() == Errno.ENOENT || failed.errno() == Errno.ESTALE) {
        return Optional.empty();
      }
      throw failed;
    }
  }

  private static String line(FileAttributes of, String name, long bytes) {
    String size = of.isDevice() ? of.deviceMajor() + ", " + of.deviceMinor() : Long.toString(bytes);
    return String.format(Locale.ROOT, "%s%04o %3d %5s %5s %14s  %s", of.typeLetter(), of.mode() & 07777, of.links(), Integer.toUnsignedString(of.uid()),
        Integer.toUnsignedString(of.gid()), size, name);
  }

  private List<String> stat(String path) throws PvfsException {
    FileAttributes of = files.attributes(path);
    List<String> lines = new ArrayList<>();
    lines.add("inode " + of.inode() + ", " + (of.isDirectory() ? "directory" : of.isSymlink() ? "symbolic link" : of.isRegular() ? "file" : "special file")
        + String.format(Locale.ROOT, ", mode %04o, uid %s, gid %s, %d links, %d bytes", of.mode() & 07777, Integer.toUnsignedString(of.uid()),
            Integer.toUnsignedString(of.gid()), of.links(), files.size(path)));
    if (of.isDevice()) {
      lines.add((of.typeLetter() == 'b' ? "block" : "character") + " device " + of.deviceMajor() + ", " + of.deviceMinor());
    }
    if (of.striping() != null) {
      Striping striping = of.striping();
      lines.add("base = " + striping.base() + ", pcount = " + striping.count() + ", ssize = " + striping.stripeBytes());
    }
    return lines;
  }

  /** Returns a line for each daemon of the file, and one for each of its first stripes. */
  private List<String> viewDistribution(String path) throws IOException {
    try (PvfsFile file = files.open(path)) {
      Striping striping = file.striping();
      long bytes = file.size();
      List<String> lines = new ArrayList<>();
      lines.add(ByteText.quoted(path) + ": " + bytes + " bytes, base = " + striping.base() + ", pcount = " + striping.count() + ", ssize = "
          + striping.stripeBytes());
      for (int slot = 0; slot < striping.count(); slot++) {
        lines.add("  daemon " + striping.daemonOf(slot) + " (" + files.daemons().get(striping.daemonOf(slot)).node() + "): "
            + striping.localBytes(slot, bytes) + " bytes");
      }
      for (long stripe = 0; stripe < STRIPES_SHOWN && stripe * striping.stripeBytes() < bytes; stripe++) {
        long from = stripe * striping.stripeBytes();
        lines.add("  bytes " + from + " to " + (Math.min(bytes, from + striping.stripeBytes()) - 1) + ": daemon "
            + striping.daemonOf(striping.slotOf(from)) + " from " + striping.localOf(from));
      }
      return lines;
    }
  }
}
