package dev.weft.pvfs.service;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.fuse.CacheMode;
import dev.weft.pvfs.fuse.FuseMount;
import dev.weft.pvfs.fuse.FuseOptions;
import dev.weft.pvfs.mount.MountSettings;
import dev.weft.pvfs.mount.MountedFiles;
import dev.weft.pvfs.service.outside.OutsideOptions;
import dev.weft.pvfs.tcp.TcpFileSystem;
import dev.weft.pvfs.wire.Caller;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.process.ControlSocket;
import dev.weft.service.process.EndOfProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft pvfs mount}. */
@Command(name = "mount", description = {"Mounts the file system of the fabric of this user on this host at a directory, and serves it until Ctrl-C, SIGTERM",
    "or 'weft pvfs umount DIR'. Locks (flock, fcntl) hold over all mounts; O_APPEND is atomic over all mounts.",
    "A file that a program maps to write (mmap; SQLite in WAL mode, LMDB) belongs to one mount: elsewhere opening it to write fails with EBUSY."})
final class PvfsMountCommand implements Callable<Integer> {
  /** The name of mounts: their type is {@code fuse.pvfs}. */
  static final String NAME = "pvfs";
  private static final int THREADS = 8;

  private static final Logger LOG = LoggerFactory.getLogger(PvfsMountCommand.class);

  @Spec private CommandSpec spec;

  @Mixin private OutsideOptions outside = new OutsideOptions();

  @Option(names = "--cache", paramLabel = "MODE", defaultValue = "none",
      description = {"What the kernel may cache: none; metadata (names and attributes); full (file data too, until the file is opened again)",
          "(default: ${DEFAULT-VALUE})."})
  private String cache;

  @Option(names = "--allow-other", description = "Let other users of this host use the mount; file permissions apply.")
  private boolean allowsOther;

  @Option(names = "--dev", description = "Let programs open device nodes of the file system; only root may mount so. Without it they get EACCES.")
  private boolean opensDevices;

  @Parameters(paramLabel = "DIR", description = "A directory; what is in it is hidden until the mount ends.")
  private Path directory;

  @Override
  public Integer call() {
    if (directory.toString().isEmpty()) {
      throw new ParameterException(spec.commandLine(), "DIR is empty; name a directory, '.' for the current one");
    }
    CacheMode mode = Arrays.stream(CacheMode.values()).filter(each -> each.name().toLowerCase(Locale.ROOT).equals(cache)).findFirst()
        .orElseThrow(() -> new ParameterException(spec.commandLine(), "--cache is '" + cache + "', must be none, metadata or full"));
    CountDownLatch end = new CountDownLatch(1);
    EndOfProcess.endOnSignal(end::countDown);
    try {
      serve(mode, end);
      return ExitCode.OK;
    } catch (IOException refused) {
      throw new CommandFailure(refused.getMessage(), refused);
    } finally {
      EndOfProcess.done();
    }
  }

  private void serve(CacheMode mode, CountDownLatch end) throws IOException {
    Config config = ConfigFactory.load();
    if (outside.isOutside(spec)) {
      serveOutside(mode, end, config);
      return;
    }
    try (ClusterFabric fabric = outside.join(spec, config, reason -> LOG.error("{}", lost(directory, reason))); PvfsFileSystem files = connect(fabric, config);
        ControlSocket _ = ClientSocket.open(fabric.system(), files, "mount");
        FuseMount mount = FuseMount.mount(new MountedFiles(files, MountSettings.from(config, mode)), directory, options(mode))) {
      untilTheEnd(mount, end);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static String lost(Path directory, String reason) {
    return "the mount at " + directory + " has lost the fabric: " + reason + "; unmount it by 'weft pvfs umount " + directory + "' or 'fusermount3 -u "
        + directory + "', and mount it again when a fabric runs";
  }

  private void serveOutside(CacheMode mode, CountDownLatch end, Config config) throws IOException {
    try (TcpFileSystem files = outside.connect(spec);
        ControlSocket _ = ClientSocket.open(files.fabric().system(), files.files(), "mount over TCP");
        FuseMount mount = FuseMount.mount(new MountedFiles(files.files(), MountSettings.from(config, mode)), directory, options(mode))) {
      untilTheEnd(mount, end);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void untilTheEnd(FuseMount mount, CountDownLatch end) throws InterruptedException {
    mount.ended().thenRun(end::countDown);
    PrintWriter out = spec.commandLine().getOut();
    out.println("The parallel file system is mounted at " + mount.directory() + "; Ctrl-C ends it");
    out.flush();
    end.await();
  }

  private FuseOptions options(CacheMode mode) {
    FuseOptions options = FuseOptions.named(NAME).cache(mode).threads(THREADS);
    return options.allowOther(allowsOther).openDevices(opensDevices);
  }

  private static PvfsFileSystem connect(ClusterFabric fabric, Config config) {
    try {
      return PvfsFileSystem.connect(fabric, node(fabric), "mount", PvfsFileSystem.MANAGER_NODE, Caller.ROOT, config);
    } catch (PvfsException silent) {
      throw new CommandFailure(silent.getMessage() + "; is the fabric one of 'weft up --pvfs N'?", silent);
    }
  }

  private static Node node(ClusterFabric fabric) {
    try {
      return fabric.addNode("pvfs-mount-" + ProcessHandle.current().pid());
    } catch (IllegalStateException | CompletionException notLetIn) {
      throw new CommandFailure(notLetIn.getMessage() + "; if the machine is busy, try again", notLetIn);
    }
  }
}
