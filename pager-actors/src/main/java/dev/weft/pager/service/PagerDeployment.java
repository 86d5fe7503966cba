package dev.weft.pager.service;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import dev.weft.pager.nbd.NbdServer;
import dev.weft.pager.nbd.NbdSettings;
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
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The pager in {@code weft up}: memory servers in this JVM or in the others; the block device and its NBD front end in this JVM. */
final class PagerDeployment implements Deployment {
  private static final int SERVERS_MAX = 16;
  private static final String SERVER_PREFIX = "memory-";
  private static final long SMALL_BYTES = 8 << 20;

  @Option(names = "--servers", paramLabel = "N", defaultValue = "3", description = "Memory servers, 1 to 16 (default: 3).")
  private int servers = 3;

  @Option(names = "--memory", paramLabel = "SIZE", defaultValue = "256M", converter = SizeConverter.class,
      description = "Memory that each server lends, touched at start if it is pinned (default: 256M).")
  private long memory = 256 << 20;

  @Option(names = "--nbd", paramLabel = "ADDR",
      description = "Where NBD clients connect: HOST:PORT or unix:PATH; may be repeated (default: 127.0.0.1:10809).")
  private List<String> nbd = new ArrayList<>();

  @Mixin private PagerOptions options = new PagerOptions();

  private boolean isWithoutTls;
  private int jvms = 1;

  @Override
  public Config applyTo(Config config) {
    Config all = options.applyTo(config);
    if (isWithoutTls) {
      all = all.withValue("weft.pager.nbd.tls", ConfigValueFactory.fromAnyRef("off"));
    }
    return nbd.isEmpty() ? all : all.withValue("weft.pager.nbd.listen", ConfigValueFactory.fromIterable(nbd));
  }

  @Override
  public void check(Launch launch) {
    if (servers < 1 || servers > SERVERS_MAX) {
      throw new ParameterException(launch.spec().commandLine(), "--servers is " + servers + ", must be from 1 to " + SERVERS_MAX);
    }
    if (launch.jvms() > 1 && servers < launch.jvms() - 1) {
      throw new ParameterException(launch.spec().commandLine(), "--servers is " + servers + ", but " + launch.jvms()
          + " JVMs need at least " + (launch.jvms() - 1) + ": each JVM but the first carries one or more");
    }
    options.check(memory, launch);
    checkAddresses(launch);
    MachineMemory.check(PagerOptions.physicalBytes(memory, launch.config()), servers, launch.jvms());
    jvms = launch.jvms();
  }

  /** Rejects addresses that cannot be served, before anything starts. */
  private void checkAddresses(Launch launch) {
    try {
      NbdServer.checkAddresses(NbdSettings.from(launch.config()));
    } catch (IOException | IllegalArgumentException e) {
      if (!nbd.isEmpty() && e instanceof IllegalArgumentException) {
        throw new ParameterException(launch.spec().commandLine(), "--nbd: " + e.getMessage(), e);
      }
      throw new CommandFailure(e.getMessage(), e); // The message names the wrong setting.
    }
  }

  @Override
  public String announcement(Launch launch) {
    return "Starting " + servers + " memory servers of " + (memory >> 20) + " MiB in "
        + (launch.jvms() == 1 ? "this JVM" : launch.jvms() - 1 + " other JVMs") + " ...";
  }

  @Override
  public List<String> argumentsOf(int member, Launch launch) {
    List<String> arguments = new ArrayList<>(List.of("--memory=" + memory));
    arguments.addAll(options.arguments());
    List<String> names = names();
    for (int server = member - 1; server < servers; server += launch.jvms() - 1) {
      arguments.add("--node=" + names.get(server));
    }
    return arguments;
  }

  private List<String> names() {
    List<String> names = new ArrayList<>();
    for (int i = 1; i <= servers; i++) {
      names.add(SERVER_PREFIX + i);
    }
    return names;
  }

  @Override
  public Running start(Host host) throws Exception {
    MemoryServers here = new MemoryServers(host);
    if (jvms == 1) {
      names().forEach(name -> here.add(name, memory, false));
    }
    return new BlockDevices(host, here, names(), memory);
  }

  @Override
  public Deployment small(Path directory) {
    PagerDeployment small = new PagerDeployment();
    small.servers = 1;
    small.memory = SMALL_BYTES;
    small.nbd = List.of("unix:" + directory.resolve("nbd.sock"));
    small.isWithoutTls = true;
    return small;
  }
}
