package dev.weft.lab.kit;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;

/**
 * Loads the classes of some packages again, and replaces calls of some methods by methods of the {@code PlantedBugs} of the caller's package. The
 * classes of the main tree do not depend on it.
 */
public final class PlantedLoader extends ClassLoader {
  /** In {@code method} of {@code target}, calls of {@code callee} become calls of {@code bug}. */
  private static final class Plant {
    final String target;
    final String method;
    final String callee;
    final String bug;
    int count;

    Plant(String[] words) {
      target = words[0].strip();
      method = words[1].strip();
      callee = words[2].strip();
      bug = words[3].strip();
    }
  }

  private final List<String> copied;
  private final List<Plant> plants = new ArrayList<>();

  /**
   * A copy with bugs.
   *
   * @param copied packages to load again, with a dot at the end
   * @param plants as in {@link PlantedBug#plants}
   * @param parent finds all other classes, and the bytes of the copied ones, including {@code PlantedBugs}
   */
  public PlantedLoader(List<String> copied, String plants, ClassLoader parent) {
    super(parent);
    this.copied = copied;
    for (String plant : plants.split("\\+")) {
      this.plants.add(new Plant(plant.strip().split(" +")));
    }
  }

  /**
   * Makes an object of the copy of a class by its constructor without parameters. Only types of the JDK and of packages that are not copied can pass
   * between the two class loaders, so {@code T} must be one of these.
   *
   * @throws IllegalStateException if a call that a plant replaces does not exist
   */
  @SuppressWarnings("unchecked") // the copy implements the same interface of the JDK
  public <T> T create(Class<? extends T> type) {
    try {
      for (Plant plant : plants) {
        loadClass(plant.target);
        if (plant.count == 0) {
          throw new IllegalStateException(
              plant.target + "." + plant.method + " does not call " + plant.callee + " any more: plant " + plant.bug + " elsewhere");
        }
      }
      var constructor = loadClass(type.getName()).getDeclaredConstructor();
      constructor.setAccessible(true);
      return (T) constructor.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      if (known != null) {
        return known;
      }
      if (copied.stream().noneMatch(name::startsWith)) {
        return super.loadClass(name, resolve);
      }
      byte[] bytes = read(name);
      for (Plant plant : plants) {
        if (plant.target.equals(name)) {
          bytes = change(bytes, plant);
        }
      }
      return defineClass(name, bytes, 0, bytes.length);
    }
  }

  private byte[] read(String name) throws ClassNotFoundException {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  /** Ignores the number at the end of the name of a lambda's body. */
  private static boolean isMethod(String method, String name) {
    return method.endsWith("*") ? name.startsWith(method.substring(0, method.length() - 1)) : name.equals(method);
  }

  private static byte[] change(byte[] bytes, Plant plant) {
    ClassDesc bugs = ClassDesc.of(plant.target.substring(0, plant.target.lastIndexOf('.')) + ".PlantedBugs");
    CodeTransform replace = (code, element) -> {
      if (element instanceof InvokeInstruction call && call.name().equalsString(plant.callee)) {
        MethodTypeDesc type = call.typeSymbol();
        boolean isStatic = call.opcode() == Opcode.INVOKESTATIC;
        code.invokestatic(bugs, plant.bug, isStatic ? type : type.insertParameterTypes(0, call.owner().asSymbol()));
        plant.count++;
      } else {
        code.with(element);
      }
    };
    return ClassFile.of().transformClass(ClassFile.of().parse(bytes),
        ClassTransform.transformingMethodBodies(model -> isMethod(plant.method, model.methodName().stringValue()), replace));
  }
}
