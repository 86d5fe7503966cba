package dev.weft.pvfs.service;

import dev.weft.pvfs.InterruptedCallException;
import dev.weft.pvfs.service.outside.OutsideOptions;
import dev.weft.pvfs.tcp.TcpFileSystem;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.process.ControlSocket;
import dev.weft.service.process.EndOfProcess;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft pvfs cp}. */
@Command(name = "cp", description = {"Copies a file into the file system or out of it: one of the two paths begins with 'pvfs:'.",
    "The target is replaced when all is copied, and keeps its owner and permissions; if the copy fails, the target stays as it was.",
    "A new target gets the permissions of the source without those of the umask.",
    "The file of this host may be a pipe or a descriptor, such as /dev/stdin, /dev/stdout and /dev/fd/63."})
final class PvfsCopyCommand implements Callable<Integer> {
  private static final String SCHEME = "pvfs:";

  @Spec private CommandSpec spec;

  @Mixin private OutsideOptions outside = new OutsideOptions();

  @Mixin private StripingOptions striping = new StripingOptions();

  @Parameters(index = "0", paramLabel = "FROM", description = "A file of this host, or pvfs:PATH.")
  private String from;

  @Parameters(index = "1", paramLabel = "TO", description = "pvfs:PATH, or a file of this host; what is there is replaced.")
  private String to;

  @Override
  public Integer call() {
    if (from.startsWith(SCHEME) == to.startsWith(SCHEME)) {
      throw new ParameterException(spec.commandLine(), "one of '" + from + "' and '" + to + "' must begin with " + SCHEME);
    }
    Asking.requireNames(spec, List.of(from, to, from.startsWith(SCHEME) ? path(from) : path(to)));
    try {
      if (from.startsWith(SCHEME)) {
        get(path(from), LocalFile.named(to));
      } else {
        put(LocalFile.named(from), path(to));
      }
      return ExitCode.OK;
    } catch (IOException | IllegalArgumentException failed) { // Or an invalid wish.
      String why = failed.getMessage() == null ? failed.toString() : failed.getMessage();
      throw new CommandFailure("cannot copy " + from + " to " + to + ": " + why, failed);
    }
  }

  private static String path(String named) {
    return named.substring(SCHEME.length());
  }

  private void put(LocalFile local, String path) throws IOException {
    try (FileChannel source = local.source()) {
      if (outside.isOutside(spec)) {
        putOutside(source, local, path);
        return;
      }
      List<String> words = new ArrayList<>(List.of(Requests.PUT, path, local.identity().toString()));
      words.addAll(striping.words());
      words.add(Integer.toOctalString(local.mode()));
      ControlSocket.askUp(PvfsService.NAME, words, source, null);
    }
  }

  /** A signal ends the copy cleanly: no partial file remains. */
  private void putOutside(FileChannel source, LocalFile local, String path) throws IOException {
    Thread copying = Thread.currentThread();
    try (TcpFileSystem files = outside.connect(spec)) {
      EndOfProcess.endOnSignal(copying::interrupt);
      new Copies(files.files(), 1).put(source, path, Requests.wish(striping.words()), local.mode(), local.identity());
    } catch (InterruptedCallException | ClosedByInterruptException signalled) {
      throw new CommandFailure("a signal ended the copy; pvfs:" + path + " is as it was", signalled);
    } finally {
      EndOfProcess.done();
    }
  }

  private void get(String path, LocalFile local) throws IOException {
    try (LocalTarget target = new LocalTarget(local)) {
      Runtime.getRuntime().addShutdownHook(new Thread(target::abandon, "weft-abandon"));
      target.finish(outside.isOutside(spec) ? getOutside(path, target, local) : Integer.parseInt(ControlSocket
          .askUp(PvfsService.NAME, List.of(Requests.GET, path, local.identity().toString()), null, target).getFirst(), 8));
    }
  }

  private int getOutside(String path, LocalTarget target, LocalFile local) throws IOException {
    try (TcpFileSystem files = outside.connect(spec)) {
      return new Copies(files.files(), 1).get(path, target, local.identity());
    }
  }
}
