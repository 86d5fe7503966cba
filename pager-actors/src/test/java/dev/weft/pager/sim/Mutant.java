package dev.weft.pager.sim;

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
import java.util.function.LongFunction;

/**
 * Loads the classes of the HCA and the pager once more, with calls of some methods replaced by methods of the {@code ClusterBugs} of
 * the same package. The classes of the main tree know nothing of it.
 */
final class Mutant extends ClassLoader {
  private static final List<String> COPIED = List.of("dev.weft.hca.", "dev.weft.pager.");

  /** In {@code method} of {@code target}, calls of {@code callee} become calls of {@code bug}. */
  private static final class Plant {
    final String target;
    final String method;
    final String callee;
    final String bug;
    int count;

    Plant(String[] words) {
      target = "dev.weft." + words[0].strip();
      method = words[1].strip();
      callee = words[2].strip();
      bug = words[3].strip();
    }
  }

  private final List<Plant> plants = new ArrayList<>();

  /** {@code plants} are of the form {@code package.Class method callee bug}, several separated by a plus sign. */
  Mutant(String plants) {
    super(Mutant.class.getClassLoader());
    for (String plant : plants.split("\\+")) {
      this.plants.add(new Plant(plant.strip().split(" +")));
    }
  }

  /** Runs seeds on the changed cluster: takes a seed, answers the violations. */
  @SuppressWarnings("unchecked") // MutantRun is a LongFunction of a list of strings
  LongFunction<List<String>> simulation() {
    try {
      for (Plant plant : plants) {
        loadClass(plant.target);
        if (plant.count == 0) {
          throw new IllegalStateException(
              plant.target + "." + plant.method + " does not call " + plant.callee + " any more: plant " + plant.bug + " elsewhere");
        }
      }
      var constructor = loadClass(MutantRun.class.getName()).getDeclaredConstructor();
      constructor.setAccessible(true);
      return (LongFunction<List<String>>) constructor.newInstance();
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
      if (COPIED.stream().noneMatch(name::startsWith)) {
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

  private static byte[] change(byte[] bytes, Plant plant) {
    ClassDesc bugs = ClassDesc.of(plant.target.substring(0, plant.target.lastIndexOf('.')) + ".ClusterBugs");
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
        ClassTransform.transformingMethodBodies(model -> model.methodName().equalsString(plant.method), replace));
  }
}
