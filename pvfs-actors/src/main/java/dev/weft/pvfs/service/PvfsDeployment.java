package dev.weft.pvfs.service;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import dev.weft.fabric.memory.AvailableMemory;
import dev.weft.pvfs.daemon.DaemonSettings;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.manager.FileSystemLabel;
import dev.weft.pvfs.manager.Manager;
import dev.weft.pvfs.tcp.TcpAddress;
import dev.weft.pvfs.tcp.TcpSettings;
import dev.weft.service.CommandFailure;
import dev.weft.service.Deployment;
import dev.weft.service.Host;
import dev.weft.service.Launch;
import dev.weft.service.Running;
import dev.weft.service.SizeConverter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The file system in {@code weft up}: the manager here, I/O daemons in the other JVMs, or here if there are none. */
final class PvfsDeployment implements Deployment {
  static final String DAEMON_PREFIX = "pvfs-io-";
  private static final double OFFERED_MAX = 0.9;

  @Option(names = "--pvfs", paramLabel = "N", description = "Serve a parallel file system of N I/O daemons, 1 to 64, in memory and spread over the JVMs;"
      + " 'weft pvfs' shows and changes its files. Without --pvfs-dir it ends with the fabric.")
  private Integer daemons;

  @Option(names = "--pvfs-memory", paramLabel = "SIZE", converter = SizeConverter.class,
      description = "Memory of each of its daemons (default: weft.pvfs.daemon.memory).")
  private Long memory;

  @Option(names = "--pvfs-dir", paramLabel = "DIR", description = "Keep the file system in this directory instead of memory; a later start uses it again "
      + "with the same number of daemons.")
  private Path directory;

  @Option(names = "--pvfs-tcp", paramLabel = "HOST:PORT", description = "Admit clients outside of the fabric over TCP; they need the secret in the file "
      + "'pvfs-tcp.secret' of the state directory, or in weft.pvfs.tcp.secret-file (default: weft.pvfs.tcp.listen).")
  private String tcp;

  private int jvms = 1;
  private FileSystemLabel label;

  @Override
  public Config applyTo(Config config) {
    if (directory != null && directory.toString().isEmpty()) {
      throw new IllegalArgumentException("--pvfs-dir is empty; name a directory, '.' for the current one");
    }
    Config with = memory == null ? config : config.withValue("weft.pvfs.daemon.memory", ConfigValueFactory.fromAnyRef(memory, "--pvfs-memory"));
    with = tcp == null ? with : with.withValue("weft.pvfs.tcp.listen", ConfigValueFactory.fromAnyRef(tcp, "--pvfs-tcp"));
    return directory == null ? with : with.withValue("weft.pvfs.daemon.directory",
        ConfigValueFactory.fromAnyRef(new PvfsDirectory(directory).path().toString(), "--pvfs-dir"));
  }

  @Override
  public void check(Launch launch) {
    jvms = launch.jvms();
    if (daemons == null) {
      if (memory != null || directory != null || tcp != null) {
        String option = memory != null ? "--pvfs-memory" : directory != null ? "--pvfs-dir" : "--pvfs-tcp";
        throw new ParameterException(launch.spec().commandLine(), option + " has no effect without --pvfs N");
      }
      return;
    }
    if (daemons < 1 || daemons > Math.min(64, Striping.DAEMONS_MAX)) {
      throw new ParameterException(launch.spec().commandLine(), "--pvfs is " + daemons + ", must be from 1 to 64");
    }
    if (memory != null && directory != null) {
      throw new ParameterException(launch.spec().commandLine(), "--pvfs-memory is for a file system in memory, --pvfs-dir for one on a disk; give only one");
    }
    checkTcp(launch);
    checkManager(launch);
    long bytes = directory == null ? settings(launch).memoryBytes() : settings(launch).disk().zoneBytes();
    if ((double) bytes * daemons > AvailableMemory.bytes() * OFFERED_MAX) {
      throw new CommandFailure(daemons + " I/O daemons with " + (bytes >> 20) + " MiB each are more than nine tenths of the "
          + (AvailableMemory.bytes() >> 20) + " MiB that are available; choose a smaller " + (directory == null ? "--pvfs-memory" : "weft.pvfs.daemon.zones"));
    }
  }

  /** Checks the manager's settings first. Otherwise the daemons' directories would be created without one of a manager, and be refused the next time. */
  private void checkManager(Launch launch) {
    try {
      Manager.checkSettings(launch.config(), directory != null);
    } catch (IllegalArgumentException wrong) {
      throw new CommandFailure(wrong.getMessage(), wrong);
    }
  }

  private void checkTcp(Launch launch) {
    try {
      TcpSettings outside = TcpSettings.from(launch.config());
      if (outside.listens()) {
        TcpAddress.parse(outside.listen());
      }
    } catch (IllegalArgumentException wrong) {
      if (tcp != null) {
        throw new ParameterException(launch.spec().commandLine(), "--pvfs-tcp: " + wrong.getMessage(), wrong);
      }
      throw new CommandFailure("weft.pvfs.tcp: " + wrong.getMessage(), wrong);
    } catch (IOException unknown) {
      throw new CommandFailure(unknown.getMessage(), unknown);
    }
  }

  private DaemonSettings settings(Launch launch) {
    try {
      return DaemonSettings.from(launch.config());
    } catch (IllegalArgumentException wrong) {
      if (memory != null) {
        throw new ParameterException(launch.spec().commandLine(), wrong.getMessage().replace("weft.pvfs.daemon.memory", "--pvfs-memory"), wrong);
      }
      throw new CommandFailure(wrong.getMessage(), wrong);
    }
  }

  private FileSystemLabel label() {
    if (label == null) {
      label = directory == null ? FileSystemLabel.random(daemons) : new PvfsDirectory(directory).label(daemons);
    }
    return label;
  }

  private List<String> names() {
    return IntStream.range(0, daemons).mapToObj(i -> DAEMON_PREFIX + i).toList();
  }

  @Override
  public List<String> argumentsOf(int member, Launch launch) {
    if (daemons == null) {
      return List.of();
    }
    List<String> arguments = new ArrayList<>(List.of("--pvfs-memory=" + settings(launch).memoryBytes(),
        "--pvfs-key=" + KeyFile.write(label().key())));
    if (directory != null) {
      arguments.addAll(List.of("--pvfs-dir=" + new PvfsDirectory(directory).path(), "--pvfs-id=" + label().id()));
    }
    TcpSettings outside = TcpSettings.from(launch.config());
    if (outside.listens()) {
      arguments.addAll(List.of("--pvfs-tcp=" + OutsideListener.anyPort(outside.listen()),
          "--pvfs-tcp-secret=" + OutsideListener.madeSecretFile(launch.config())));
    }
    for (int daemon = member - 1; daemon < daemons; daemon += launch.jvms() - 1) {
      arguments.add("--pvfs-node=" + DAEMON_PREFIX + daemon);
    }
    return arguments;
  }

  @Override
  public Running start(Host host) {
    if (daemons == null) {
      return new Running() {
        @Override
        public List<String> answer(List<String> words) {
          throw new CommandFailure("this fabric has no parallel file system; './weft up --pvfs N' or './weft pvfs up' starts one that has");
        }
      };
    }
    OutsideListener outside = OutsideListener.open(host);
    Daemons here = new Daemons(host, label().key(), directory == null ? "" : label().id(), outside);
    if (jvms == 1) {
      names().forEach(here::add);
    }
    return new FileSystemHost(host, here, names(), label(), directory == null ? null : new PvfsDirectory(directory), outside);
  }
}
