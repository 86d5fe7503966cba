package dev.weft.pvfs.service;

import dev.weft.pvfs.fuse.FuseMount;
import dev.weft.pvfs.fuse.FuseOptions;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft pvfs umount}. */
@Command(name = "umount", description = "Unmounts the file system and ends the process that serves it; also unmounts a dead mount, whose process was killed.")
final class PvfsUnmountCommand implements Callable<Integer> {
  @Option(names = "--lazy", description = "Unmount at once; programs that use it can finish.")
  private boolean isLazy;

  @Parameters(paramLabel = "DIR", description = "Where it is mounted.")
  private Path directory;

  @Override
  public Integer call() {
    try {
      FuseMount.unmount(directory, isLazy, FuseOptions.named(PvfsMountCommand.NAME));
      return ExitCode.OK;
    } catch (IllegalArgumentException notOurs) {
      throw new CommandFailure(notOurs.getMessage(), notOurs);
    } catch (IOException refused) {
      throw new CommandFailure(refused.getMessage() + (isLazy ? "" : "; --lazy unmounts it at once"), refused);
    }
  }
}
