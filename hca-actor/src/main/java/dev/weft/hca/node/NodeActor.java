package dev.weft.hca.node;

import akka.actor.InvalidActorNameException;
import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.ChildFailed;
import akka.actor.typed.Props;
import akka.actor.typed.Terminated;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Adapter;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.dispatch.HardwareCall;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.node.Directory;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.fabric.time.FabricContext;
import dev.weft.hca.cm.CmActor;
import dev.weft.hca.cm.CmClient;
import dev.weft.hca.cm.CmServices;
import dev.weft.hca.cm.ConnectionManager;
import dev.weft.hca.device.ControlVerbs;
import dev.weft.hca.device.HcaActor;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.VerbsException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * One host of the fabric (design section 3): the parent of its HCA, its connection manager and its roles. It watches them; {@link Node#elements}
 * says what happens when one fails.
 */
public final class NodeActor {
  /** The messages of a node. */
  public sealed interface Command {}

  private record Attached(SwitchActor.AttachReply reply) implements Command {}

  private record SpawnRole(Runnable spawn) implements Command {}

  private final Handle handle;
  private final CmServices services;
  private final Consumer<PortedNode> ready;
  private final Consumer<IllegalStateException> refused;
  private Cable fromHca;

  /**
   * A node that is connected to its switch.
   *
   * @param portNumber the port of the leaf switch to which its HCA is attached
   */
  public record PortedNode(Node node, ControlVerbs hca, ActorRef<HardwareMessage> cm, int portNumber, CmServices services) {
    /** Ends the node's connections and closes its HCA, see {@link Hca#close}; its actors continue. Idempotent. Any thread. */
    void close(String reason) {
      hca.close(reason, services::close);
    }
  }

  private NodeActor(Handle handle, CmServices services, Consumer<PortedNode> ready, Consumer<IllegalStateException> refused) {
    this.refused = refused;
    this.services = services;
    this.handle = handle;
    this.ready = ready;
  }

  /**
   * Creates a node.
   *
   * @param lid local identifier, or 0 if the subnet manager assigns it later
   * @param ready called on the hardware thread when the HCA is attached to the switch
   */
  public static Behavior<Command> create(String name, int lid, NodeSpec spec, NodeLink link, Consumer<PortedNode> ready) {
    return create(name, lid, spec, link, ready, refused -> {
      throw refused;
    });
  }

  /** Like {@link #create(String, int, NodeSpec, NodeLink, Consumer)}, but a node without a switch port fails {@code attached} with the reason, and ends. */
  static Behavior<Command> create(String name, int lid, NodeSpec spec, NodeLink link, CompletableFuture<PortedNode> attached) {
    return create(name, lid, spec, link, attached::complete, attached::completeExceptionally);
  }

  private static Behavior<Command> create(String name, int lid, NodeSpec spec, NodeLink link, Consumer<PortedNode> ready,
      Consumer<IllegalStateException> refused) {
    return Behaviors.setup(context -> {
      ControlVerbs hca = new ControlVerbs(name, spec.hca(), spec.fabric(), spec.virtualLanes(), spec.onHardwareThread());
      hca.limitPortMtu(spec.pathMtuMaxBytes());
      hca.limitPathMtu(spec.directory()::pathMtuToLid);
      ActorRef<HardwareMessage> hcaRef = context.spawn(
          HcaActor.create(hca, spec.hardwareDispatcher(), spec.contexts()), "hca",
          spec.hardwareDispatcher());
      hca.started(hcaRef);
      CmServices services = new CmServices();
      Behavior<HardwareMessage> cm = CmActor.create(hca, services, spec.directory(), spec.fabric(), spec.cm(), spec.pathMtuMaxBytes());
      ActorRef<HardwareMessage> cmRef = context.spawn(Behaviors.intercept(FailureNote::new, cm), "cm", spec.hardwareDispatcher());
      Handle handle = new Handle(hca, new CmClient(hca, services, cmRef), cmRef, spec, context);
      handle.watch(hcaRef);
      handle.watch(cmRef);
      NodeActor actor = new NodeActor(handle, services, ready, refused);
      ActorRef<SwitchActor.AttachReply> replies = context.messageAdapter(SwitchActor.AttachReply.class, Attached::new);
      spec.leafSwitch().tell(new SwitchActor.AttachPort(name, lid, true, link.from(hcaRef, cable -> actor.fromHca = cable), replies));
      return Behaviors.receive(Command.class)
          .onAnyMessage(actor::onMessage)
          .onSignal(ChildFailed.class, actor::onChildFailed)
          .onSignal(Terminated.class, actor::onChildEnded)
          .build();
    });
  }

  private Behavior<Command> onMessage(Command message) {
    return switch (message) {
      case Attached attached -> onAttached(attached.reply());
      case SpawnRole spawn -> {
        spawn.spawn().run();
        yield Behaviors.same();
      }
    };
  }

  private Behavior<Command> onChildFailed(ChildFailed failed) {
    ActorRef<Void> child = failed.getRef();
    handle.elements.failed(child.path().name(), failed.getCause());
    if (child.path().equals(handle.hca.actor().path())) {
      services.close(); // The HCA has closed itself.
    } else if (child.path().equals(handle.cmRef.path())) {
      handle.hca.close("its connection manager failed: " + failed.getCause(), () -> {});
    }
    return Behaviors.same();
  }

  private Behavior<Command> onChildEnded(Terminated ended) {
    String name = ended.getRef().path().name();
    FailureNote<?> note = handle.roles.remove(ended.getRef());
    if (handle.roles.keySet().stream().anyMatch(later -> later.path().name().equals(name))) {
      return Behaviors.same(); // A new role of that name started before this message arrived.
    }
    if (note == null || note.failure() == null) {
      handle.elements.ended(name);
    } else {
      handle.elements.failed(name, note.failure());
    }
    return Behaviors.same();
  }

  private Behavior<Command> onAttached(SwitchActor.AttachReply reply) {
    return switch (reply) {
      case SwitchActor.PortAttached attached -> {
        handle.portNumber = attached.portNumber();
        handle.hca().actor().tell(new HcaActor.CableAttached(fromHca));
        ready.accept(new PortedNode(handle, handle.hca, handle.cmRef, attached.portNumber(), services));
        yield Behaviors.same();
      }
      case SwitchActor.AttachRefused why -> {
        refused.accept(new IllegalStateException("node " + handle.name() + " got no switch port: " + why.reason()));
        yield Behaviors.stopped();
      }
    };
  }

  /** The handle that consumers have of a node. */
  private static final class Handle implements Node {
    private final ControlVerbs hca;
    private final ConnectionManager cm;
    private final ActorRef<HardwareMessage> cmRef;
    private final NodeSpec spec;
    private final ActorContext<Command> context;
    private final ActorRef<Command> self;
    private final NodeElements elements = new NodeElements();
    /** Used on the hardware thread only. */
    private final Map<ActorRef<?>, FailureNote<?>> roles = new HashMap<>();
    /** Set before any consumer gets the handle. */
    private volatile int portNumber;

    Handle(ControlVerbs hca, ConnectionManager cm, ActorRef<HardwareMessage> cmRef, NodeSpec spec, ActorContext<Command> context) {
      this.hca = hca;
      this.cm = cm;
      this.cmRef = cmRef;
      this.spec = spec;
      this.context = context;
      this.self = context.getSelf();
    }

    @Override
    public String name() {
      return hca.nodeName();
    }

    @Override
    public Hca hca() {
      return hca;
    }

    @Override
    public ConnectionManager cm() {
      return cm;
    }

    @Override
    public Directory directory() {
      return spec.directory();
    }

    @Override
    public FabricContext context() {
      return spec.fabric();
    }

    @Override
    public CompletionStage<Integer> joinMulticast(String group, boolean sendOnly) {
      CompletableFuture<Integer> joined = new CompletableFuture<>();
      spec.groups().join(group, portNumber, !sendOnly, answer -> {
        if (answer.refusal() == null) {
          joined.complete(answer.lid());
        } else {
          joined.completeExceptionally(
              new VerbsException(VerbsException.Errno.EINVAL, "multicast group \"" + group + "\": " + answer.refusal()));
        }
      });
      return joined;
    }

    @Override
    public void leaveMulticast(String group, boolean sendOnly) {
      spec.groups().leave(group, portNumber, !sendOnly);
    }

    @Override
    public List<NodeElement> elements() {
      return elements.all();
    }

    @Override
    public <T> ActorRef<T> spawnRole(Behavior<T> behavior, String roleName) {
      return start(behavior, roleName, spec.hardwareDispatcher());
    }

    @Override
    public <T> ActorRef<T> spawnRole(Behavior<T> behavior, String roleName, RoleContext roleContext) {
      return start(behavior, roleName, spec.roles().props(roleContext));
    }

    private <T> ActorRef<T> start(Behavior<T> behavior, String roleName, Props props) {
      if (spec.onHardwareThread().getAsBoolean()) {
        return spawn(behavior, roleName, props);
      }
      HardwareCall<ActorRef<T>> call = new HardwareCall<>(() -> spawn(behavior, roleName, props));
      self.tell(new SpawnRole(call));
      try {
        return call.await(spec.hca().controlTimeout());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while starting role " + roleName + " on node " + name(), e);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof IllegalArgumentException refused) {
          throw refused;
        }
        throw new IllegalStateException("role " + roleName + " failed to start on node " + name(), e.getCause());
      } catch (TimeoutException e) {
        throw new IllegalStateException("role " + roleName + " did not start on node " + name() + " within " + spec.hca().controlTimeout(), e);
      }
    }

    /** Watches an actor. Uses the classic context for the same reason as {@link #spawn}. */
    private void watch(ActorRef<?> child) {
      elements.started(child.path().name());
      Adapter.toClassic(context).watch(Adapter.toClassic(child));
    }

    /**
     * Starts an actor. Runs on the hardware thread, which also runs this node's actor but may be processing a message of another actor. The classic
     * context allows that, the typed context does not.
     */
    private <T> ActorRef<T> spawn(Behavior<T> behavior, String roleName, Props props) {
      akka.actor.ActorContext classic = Adapter.toClassic(context);
      try {
        FailureNote<T> note = new FailureNote<>();
        ActorRef<T> role = Adapter.spawn(classic, Behaviors.intercept(() -> note, behavior), roleName, props);
        roles.put(role, note);
        watch(role);
        return role;
      } catch (InvalidActorNameException e) {
        throw new IllegalArgumentException("node " + name() + " cannot have a role \"" + roleName + "\": "
            + (classic.child(roleName).isDefined() ? "the node has a role of this name already" : e.getMessage()), e);
      }
    }
  }
}
